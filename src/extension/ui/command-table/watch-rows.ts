import { at, bar, type CommandRow, row } from './rows.ts';

const anyWatch = /^watch (scheduled|paused)$/;

export const watchRows = {
  watchForChanges: {
    title: ['Watch for Changes…', '监视更改…'],
    does: 'Asks how often to look at a [page, a site or a search](monitors.md#how-do-i-watch-a-page-in-vs-code), what matters and who is notified',
    icon: 'eye',
    menus: [
      bar('activeCrawls', '1_start@4'),
      at('editor/title', '2_page@3', 'resourceScheme == webdata'),
      row('activeCrawls', /^crawl\b.*\bsite\b/, '4_watch@1'),
      row('activity', /^(crawl|map|search)\b/, '4_watch@1'),
      row('activeCrawls activity', /^page |\bmarkdown\b/, '4_watch@1'),
    ],
  },
  checkWatch: {
    title: ['Check Now', '立即检查'],
    does: 'Runs a check of a watch now, in addition to its schedule',
    icon: 'refresh',
    palette: 'webdata.hasWatches',
    menus: [row('activeCrawls', anyWatch, 'inline@1', '1_watch@1')],
  },
  pauseWatch: {
    title: ['Pause or Resume Watch', '暂停或恢复监视项'],
    does: 'Pauses a watch, or resumes a paused one on its schedule',
    icon: 'debug-pause',
    palette: 'webdata.hasWatches',
    menus: [row('activeCrawls', anyWatch, '1_watch@2')],
  },
  editWatch: {
    title: ['Edit Watch…', '编辑监视项…'],
    does: 'Changes how often a watch looks, who is notified, what matters, or its name',
    icon: 'edit',
    palette: 'webdata.hasWatches',
    menus: [row('activeCrawls', anyWatch, 'inline@2', '1_watch@3')],
  },
  deleteWatch: {
    title: ['Delete Watch', '删除监视项'],
    does: 'Deletes a watch with its checks',
    icon: 'trash',
    palette: 'webdata.hasWatches',
    menus: [row('activeCrawls', anyWatch, '3_end@1')],
  },
  openChange: {},
  loadMoreChecks: {},
} satisfies Record<string, CommandRow>;
