import { at, bar, type CommandRow, row } from './rows.ts';

/** A page of a crawl, or a scrape that has Markdown. */
const pageOrScrape = /^page |\bmarkdown\b/;

/** A preview of a page of which more can be scraped. */
const previewHasMore = 'activeWebviewPanelId == markdown.preview && webdata.previewHasMore';

export const pageRows = {
  startCrawl: {
    title: ['Start Crawl…', '开始爬取…'],
    does: "Asks for a URL and a sentence, and opens the crawl's parameters as a document. A warning above them lists the parts of the sentence that no parameter expresses; completing `webhook` offers the running webhook receiver",
    icon: 'add',
    menus: [bar('activeCrawls', 'navigation@1')],
  },
  submitCrawl: {
    title: ['Start This Crawl', '开始此爬取'],
    does: 'Starts the crawl whose parameters are open',
    icon: 'play',
    palette: 'resourceScheme == webdata-crawl || resourceFilename =~ /\\.crawl\\.json$/',
    menus: [
      at('editor/title', 'navigation@1', 'resourceScheme == webdata-crawl || resourceFilename =~ /\\.crawl\\.json$/'),
    ],
    keys: {
      key: 'ctrl+alt+enter',
      mac: 'cmd+alt+enter',
      where: ', in a draft or a `.crawl.json` file',
      when: 'editorTextFocus && resourceScheme == webdata-crawl || editorTextFocus && resourceFilename =~ /\\.crawl\\.json$/',
    },
  },
  scrapeUrl: {
    title: ['Scrape URL…', '抓取 URL…'],
    does: 'Scrapes one page and opens its Markdown',
    icon: 'cloud-download',
    menus: [bar('activeCrawls', '1_start@1'), bar('activity', '3_start@1')],
  },
  mapSite: {
    title: ['Map Site…', '映射网站…'],
    does: 'Lists the pages of a site with checkboxes, to scrape, batch or crawl the selected ones',
    icon: 'list-tree',
    menus: [bar('activeCrawls', '1_start@2'), bar('activity', '3_start@2')],
  },
  parseFiles: {
    title: ['Parse to Markdown', '解析为 Markdown'],
    does: 'Reads [documents](scraping.md) such as PDF, Word and Excel files, several at once if you select them in the Explorer',
    icon: 'markdown',
    menus: [
      at(
        'explorer/context',
        '4_webdata@1',
        '!explorerResourceIsFolder && resourceExtname =~ /^\\.(pdf|doc[xm]|xls[xm]|ppt[xm]|od[tsp]|rtf|epub|csv|tsv|eml|html?)$/i',
      ),
    ],
  },
  searchWeb: {
    title: ['Search the Web…', '搜索网络…'],
    does: 'Lists [what a search finds](search.md#how-do-i-search-in-vs-code), to scrape, open or crawl',
    icon: 'search',
    menus: [
      bar('activeCrawls', '1_start@3'),
      bar('activity', '3_start@3'),
      row('activity', /^search\b/, 'inline@1', '1_open@3'),
    ],
  },
  setUpSearch: {
    title: ['Set Up Search…', '设置搜索…'],
    does: 'Asks for the URL of a SearXNG server, and checks it while you type',
  },
  openCrawl: {},
  cancelCrawl: {
    title: ['Cancel Crawl or Agent Job', '取消爬取或智能体作业'],
    does: 'Cancels a crawl, or an agent or extract job, that is running',
    icon: 'debug-stop',
    palette: 'webdata.crawling || webdata.agentRunning',
    menus: [
      row('activeCrawls', /\bactive\b/, '3_end@1', 'inline@2'),
      row('activity', /\brunningAgent\b/, '3_end@1', 'inline@1'),
    ],
  },
  continueCrawl: {
    title: ['Continue Crawl…', '继续爬取…'],
    does: 'Continues a crawl that reached its limit, with a higher one',
    icon: 'debug-continue',
    palette: 'webdata.crawlsCut',
    menus: [row('activeCrawls', /\bcut\b/, 'inline@2', '3_end@1')],
  },
  openPage: {},
  repeatCrawl: {
    title: ['Crawl Again', '再次爬取'],
    does: 'Crawls a site again, [taking over what is unchanged](crawl-jobs.md#how-do-i-find-out-what-changed-since-the-last-crawl)',
    icon: 'refresh',
    palette: 'webdata.hasCrawls',
    menus: [row('activeCrawls', /\bended\b/, '3_end@2'), row('activity', /^crawl\b.*\brecord pages\b/, '3_end@2')],
  },
  openPageMarkdown: {
    title: ['Open Page Markdown', '打开页面 Markdown'],
    does: 'Opens the Markdown of a page as text',
    icon: 'markdown',
    palette: 'resourceScheme == webdata',
    menus: [row('activeCrawls activity', pageOrScrape, 'inline@1', '1_open@2')],
  },
  openPageAs: {
    title: ['Open Page As…', '页面打开方式…'],
    does: 'Opens the preview, HTML, links, metadata, screenshot or whole document of a page',
    icon: 'code',
    palette: 'resourceScheme == webdata',
    menus: [
      at('editor/title', '1_show@1', 'resourceScheme == webdata'),
      row('activeCrawls activity', pageOrScrape, '1_open@3'),
    ],
  },
  openPageInSession: {
    title: ['Open Page in Session', '在会话中打开页面'],
    does: 'Opens the URL of a page in a new browser session',
    icon: 'browser',
    palette: 'resourceScheme == webdata',
    menus: [
      at('editor/title', '2_page@2', 'resourceScheme == webdata'),
      row('activeCrawls activity', /^page /, '3_use@1'),
    ],
  },
  loadMoreOfPage: {
    title: ['Get More of This Page', '获取此页面的更多内容'],
    does: 'Scrapes the page of the preview again, with what [a button or scrolling loads](scraping.md#why-is-content-missing-or-why-does-a-page-only-say-loading), or with what [its main content leaves out](content.md#what-if-something-is-missing)',
    icon: 'unfold',
    palette: previewHasMore,
    menus: [at('editor/title', 'navigation@1', previewHasMore)],
  },
  copyPageUrl: {},
  urlOfPage: {},
  loadMorePages: {},
  scrapeOfPage: {},
  savePages: {
    title: ['Save Pages As…', '将页面另存为…'],
    does: 'Saves all pages of a crawl: as Markdown files with relative links, as JSONL with a line each, or as CSV with the columns that you select',
    icon: 'save-all',
    palette: 'webdata.hasCrawls || view.webdata.activity.visible || resourceScheme == webdata',
    menus: [row('activeCrawls', /\bnamed\b/, '2_keep@1'), row('activity', /\brecord pages\b/, '2_keep@1')],
  },
  searchPages: {
    title: ['Search Pages…', '搜索页面…'],
    does: 'Searches the text of the [pages of crawls](pages.md) as you type',
    icon: 'search',
    palette: 'webdata.hasCrawls || view.webdata.activity.visible || resourceScheme == webdata',
    menus: [
      bar('activeCrawls', 'navigation@3'),
      bar('activity', 'navigation@3'),
      row('activeCrawls', /\bnamed\b/, '1_open@0', 'inline@0'),
      row('activity', /\brecord pages\b/, '1_open@0', 'inline@0'),
    ],
  },
  chooseMappedPages: {},
} satisfies Record<string, CommandRow>;
