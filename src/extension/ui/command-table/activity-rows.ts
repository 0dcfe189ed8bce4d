import { bar, type CommandRow, row } from './rows.ts';

export const activityRows = {
  filterActivity: {
    title: ['Filter Activity…', '筛选活动…'],
    does: 'Shows only one kind of request',
    icon: 'filter',
    palette: 'view.webdata.activity.visible',
    menus: [bar('activity', 'navigation@1')],
  },
  loadMoreActivity: {},
  openRecord: {
    title: ['Open as JSON', '以 JSON 形式打开'],
    does: 'Opens the record of a request, or the state of a crawl with all its pages; asks first if it is larger than 20 MB',
    icon: 'go-to-file',
    palette: 'webdata.hasCrawls',
    menus: [row('activity', /\brecord\b/, '1_open@1'), row('activeCrawls', /\bnamed\b/, '1_open@1')],
  },
  saveRecord: {
    title: ['Save Record As…', '将记录另存为…'],
    does: 'Saves a record to a file',
    icon: 'save-as',
    palette: false,
    // All pages of a crawl are saved by "Save Pages As…".
    menus: [row('activity', /\brecord\b(?! pages)/, '2_keep@1')],
  },
  copyId: {
    title: ['Copy ID or URL', '复制 ID 或 URL'],
    does: 'Copies the ID of a crawl or a request, or the URL of a page',
    icon: 'copy',
    palette: 'resourceScheme == webdata',
    menus: [row('activeCrawls activity', /\bnamed\b|^page /, '2_keep@2')],
  },
  toggleUsageByApiKey: {
    title: ['Toggle Usage by API Key', '切换按 API 密钥显示用量'],
    does: 'Shows the usage of each API key, or of all keys together',
    icon: 'key',
    palette: 'view.webdata.usage.visible',
    menus: [bar('usage', 'navigation@1')],
  },
  copyUsageCsv: {
    title: ['Copy Usage as CSV', '将用量复制为 CSV'],
    does: 'Copies the usage to the clipboard as CSV',
    icon: 'copy',
    palette: 'view.webdata.usage.visible',
    menus: [bar('usage', 'navigation@2')],
  },
} satisfies Record<string, CommandRow>;
