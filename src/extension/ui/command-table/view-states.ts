/** What a view shows instead of rows in a state of the connection: the same in every view. */
export interface ViewState {
  /** The value of the view's context key; undefined in Restricted Mode. */
  state?: string;
  target?: 'embedded' | 'server';
  /** By default: all. */
  views?: readonly string[];
  /** In English and Chinese. */
  text: readonly [string, string];
}

/** The context key with the state of each view whose rows a server lists. */
export const serverViews = {
  browserSessions: 'sessionsState',
  activeCrawls: 'crawlsState',
  activity: 'activityState',
} as const;

export const viewStates: Readonly<Record<string, ViewState>> = {
  restricted: {
    text: [
      'Nothing runs in Restricted Mode.\n[Manage Workspace Trust](command:workbench.trust.manage)',
      '受限模式下不运行任何内容。\n[管理工作区信任](command:workbench.trust.manage)',
    ],
  },
  loading: { state: 'loading', text: ['Loading…', '正在加载…'] },
  signedOut: {
    state: 'signed-out',
    text: [
      'This server needs a valid API key. You can also [use the embedded service](command:webdata.useEmbeddedService).\n[Connect to Server…](command:webdata.connectToServer)',
      '此服务器需要有效的 API 密钥。你也可以[使用嵌入式服务](command:webdata.useEmbeddedService)。\n[连接到服务器…](command:webdata.connectToServer)',
    ],
  },
  unreachable: {
    state: 'unreachable',
    target: 'server',
    text: [
      "Can't reach the server. Check the [log](command:webdata.showServiceLog), or use [another server](command:webdata.connectToServer) or the [embedded service](command:webdata.useEmbeddedService).\n[Try Again](command:webdata.refresh)",
      '无法连接到服务器。请查看[日志](command:webdata.showServiceLog)，或使用[另一服务器](command:webdata.connectToServer)或[嵌入式服务](command:webdata.useEmbeddedService)。\n[重试](command:webdata.refresh)',
    ],
  },
  failed: {
    state: 'unreachable',
    target: 'embedded',
    text: [
      "The embedded service isn't responding. Check the [log](command:webdata.showServiceLog) for details.\n[Try Again](command:webdata.refresh)",
      '嵌入式服务未响应。有关详细信息，请查看[日志](command:webdata.showServiceLog)。\n[重试](command:webdata.refresh)',
    ],
  },
  limited: {
    state: 'limited',
    text: [
      'The server is rate limiting requests.\n[Try Now](command:webdata.refresh)',
      '服务器正在限制请求速率。\n[立即重试](command:webdata.refresh)',
    ],
  },
  notOffered: {
    state: 'not-offered',
    // Every server has sessions.
    views: ['activeCrawls', 'activity'],
    text: [
      "This server doesn't support this view.\n[Connect to Server…](command:webdata.connectToServer)",
      '此服务器不支持此视图。\n[连接到服务器…](command:webdata.connectToServer)',
    ],
  },
};
