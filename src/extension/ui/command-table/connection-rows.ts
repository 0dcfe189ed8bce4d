import { bar, type CommandRow } from './rows.ts';

export const connectionRows = {
  refresh: {
    title: ['Refresh Views', '刷新视图'],
    does: 'Reloads the visible views',
    icon: 'refresh',
    palette:
      'view.webdata.browserSessions.visible || view.webdata.activeCrawls.visible || view.webdata.activity.visible || view.webdata.usage.visible',
    menus: [
      bar('browserSessions', 'navigation@2'),
      bar('activeCrawls', 'navigation@2'),
      bar('activity', 'navigation@2'),
      bar('usage', 'navigation@3'),
    ],
  },
  installProgram: {},
  showMenu: { free: true },
  connectToServer: {
    title: ['Connect to Server…', '连接到服务器…'],
    does: 'Connects to a remote server with its base URL and API key',
    icon: 'plug',
    menus: [bar('browserSessions', '1_server@1')],
  },
  useEmbeddedService: {
    title: ['Use Embedded Service', '使用嵌入式服务'],
    does: 'Switches back to the embedded service',
    free: true,
    enabled: "webdata.target == 'server'",
    menus: [bar('browserSessions', '1_server@2', "webdata.target == 'server'")],
  },
  signOut: { free: true },
  restartEmbeddedService: {
    title: ['Restart Embedded Service', '重启嵌入式服务'],
    does: 'Stops the embedded service with its sessions and starts it again',
    icon: 'debug-restart',
    enabled: "webdata.target != 'server'",
    menus: [bar('browserSessions', '2_service@1', "webdata.target == 'embedded'")],
  },
  showServiceLog: {
    title: ['Show Service Log', '显示服务日志'],
    does: 'Opens the log of the embedded service',
    icon: 'output',
    free: true,
    menus: [bar('browserSessions', '2_service@2')],
  },
} satisfies Record<string, CommandRow>;
