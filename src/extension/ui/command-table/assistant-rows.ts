import { at, bar, type CommandRow, editorCode, row } from './rows.ts';

export const assistantRows = {
  interactWithScrape: {
    title: ['Interact with Scrape…', '与抓取的页面交互…'],
    does: 'Opens a scrape or a page of a crawl in a session, where code and prompts then run',
    icon: 'debug-continue',
    menus: [
      at(
        'editor/title',
        'navigation@1',
        'resourceScheme == webdata-document && resourcePath =~ /^\\/(scrape\\/|record\\/scrape-)/',
      ),
      at('editor/title', 'navigation@1', 'resourceScheme == webdata && resourceExtname == .md'),
      row('activity', /\bscrape\b/, '2_interact@1'),
      row('activeCrawls activity', 'viewItem =~ /^page / && viewItem =~ /scraped/', '3_use@2'),
    ],
  },
  sendPrompt: {
    title: ['Send Prompt…', '发送提示…'],
    does: 'Gives the AI agent a task on the scraped page',
    icon: 'comment',
    palette: 'webdata.scrapeTarget || resourceScheme =~ /^webdata(-document)?$/',
    menus: [bar('runResults', 'navigation@0', 'webdata.scrapeTarget')],
  },
  endInteraction: {},
  askAgent: {
    title: ['Ask an Agent…', '询问智能体…'],
    does: 'Asks what to find out, where to start and which shape the data should have, and starts an [agent job](agent.md)',
    icon: 'hubot',
    menus: [bar('activity', '3_start@4')],
  },
  extractFromPages: {
    title: ['Extract from Pages…', '从页面提取数据…'],
    does: 'Takes data from the pages that you name, as JSON',
    icon: 'json',
    menus: [bar('activity', '3_start@5')],
  },
  cancelAgentJob: {},
  setUpLanguageModel: {
    title: ['Set Up a Language Model…', '设置语言模型…'],
    does: 'Finds Ollama, LM Studio and the models of VS Code, or asks for a URL, model and key, and tests them',
  },
  copyMcpConfiguration: {
    title: ['Copy MCP Configuration…', '复制 MCP 配置…'],
    does: "Copies the configuration that gives the coding agent you choose these [tools](mcp.md), with its own key, or adds it to the agent's file",
  },
  manageAgentKeys: {
    title: ['Manage Agent Keys…', '管理智能体密钥…'],
    does: 'Lists the keys of coding agents with what they have used, sets what an agent may do without asking and its budget, and revokes keys with the configuration that was added for them',
  },
  askDocs: {
    title: ['Ask the Docs', '向文档提问'],
    does: 'Opens the Docs view, with the selection as context',
    icon: 'comment-discussion',
    menus: [at('editor/context', 'z_webdata@2', editorCode)],
  },
  clearDocs: {
    title: ['Clear Docs Questions', '清除文档问题'],
    does: 'Empties the Docs view',
    icon: 'clear-all',
    palette: 'view.webdata.docs.visible',
    menus: [bar('docs', 'navigation@2')],
  },
  manageDocsSources: {
    title: ['Manage Docs Sources…', '管理文档源…'],
    does: 'Lists docs sources; adds a folder of Markdown or a crawl as a source of answers, updates it and removes it',
    icon: 'library',
    menus: [bar('docs', 'navigation@1')],
  },
} satisfies Record<string, CommandRow>;
