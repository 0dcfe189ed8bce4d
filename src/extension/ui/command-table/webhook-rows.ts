import { at, bar, type CommandRow, row } from './rows.ts';

const inUse = "webdata.webhooksState == 'listening' || webdata.hasDeliveries";

export const webhookRows = {
  startWebhookReceiver: {
    title: ['Start Webhook Receiver', '启动 Webhook 接收器'],
    does: 'Starts listening for webhook deliveries',
    icon: 'play',
    palette: "webdata.webhooksState != 'listening'",
    menus: [
      bar('webhooks', 'navigation@1', "webdata.webhooksState != 'listening'"),
      row('webhooks', /^receiver idle/, 'inline@1'),
    ],
  },
  stopWebhookReceiver: {
    title: ['Stop Webhook Receiver', '停止 Webhook 接收器'],
    does: 'Stops listening for webhook deliveries',
    icon: 'debug-stop',
    palette: "webdata.webhooksState == 'listening'",
    menus: [
      bar('webhooks', '1_receiver@1', "webdata.webhooksState == 'listening'"),
      row('webhooks', /^receiver listening/, 'inline@1'),
    ],
  },
  copyWebhookUrl: {
    title: ['Copy Webhook URL', '复制 Webhook URL'],
    does: 'Copies the URL for webhook deliveries',
    icon: 'copy',
    palette: "webdata.webhooksState == 'listening'",
    menus: [
      bar('webhooks', 'navigation@1', "webdata.webhooksState == 'listening'"),
      row('webhooks', /^fact (url|publicUrl)/, 'inline@1'),
    ],
  },
  setWebhookSecret: {
    title: ['Set Webhook Secret…', '设置 Webhook 机密…'],
    does: 'Sets the secret that deliveries are verified with, or removes the old one',
    icon: 'key',
    palette: inUse,
    menus: [bar('webhooks', '1_receiver@2'), row('webhooks', /^fact (secret|refused)/, 'inline@1')],
  },
  setWebhookHandler: {
    title: ['Set Webhook Handler…', '设置 Webhook 处理程序…'],
    does: 'Sets the URL of your own handler, and whether new deliveries are forwarded to it',
    icon: 'edit',
    palette: inUse,
    menus: [bar('webhooks', '2_handler@1'), row('webhooks', /^fact handler/, 'inline@1')],
  },
  filterWebhooks: {
    title: ['Filter Webhook Deliveries by Job…', '按作业筛选 Webhook 投递…'],
    does: 'Shows only the deliveries of one job, or all again',
    icon: 'filter',
    palette: 'webdata.hasDeliveries',
    menus: [bar('webhooks', 'navigation@2'), row('webhooks', /^delivery.*\bjob\b/, '3_show@1')],
  },
  loadMoreWebhooks: {},
  openWebhookDelivery: {},
  clearWebhooks: {
    title: ['Clear Webhook Deliveries', '清除 Webhook 投递'],
    does: 'Deletes all deliveries and your edits',
    icon: 'clear-all',
    palette: 'webdata.hasDeliveries',
    menus: [bar('webhooks', 'navigation@3')],
  },
  openWebhookAs: {
    title: ['Open Webhook Delivery As…', 'Webhook 投递打开方式…'],
    does: 'Opens a delivery as JSON, with its headers as an HTTP request, or the page in it as Markdown',
    icon: 'code',
    palette: 'webdata.hasDeliveries',
    menus: [row('webhooks', /^delivery/, '1_open@1')],
  },
  replayWebhook: {
    title: ['Replay Webhook Delivery', '重放 Webhook 投递'],
    does: 'Sends a delivery to your handler, with the same bytes and headers; the edited delivery that is open, with a new signature',
    icon: 'debug-rerun',
    palette: 'webdata.hasDeliveries',
    menus: [
      row('webhooks', /^delivery/, 'inline@1', '2_send@2'),
      at('editor/title', 'navigation@1', 'resourceFilename =~ /^delivery-\\d+\\.webhook\\.json$/'),
    ],
  },
  editWebhook: {
    title: ['Edit and Replay Webhook Delivery', '编辑并重放 Webhook 投递'],
    does: 'Opens a delivery for editing, to send it again',
    icon: 'edit',
    palette: 'webdata.hasDeliveries',
    menus: [row('webhooks', /^delivery/, '2_send@3')],
  },
  openWebhookResponse: {},
  insertWebhookVerification: {
    title: ['Insert Webhook Verification Code', '插入 Webhook 验证代码'],
    does: 'Inserts a function that verifies signatures, in the language of the file',
    icon: 'verified',
    palette: inUse,
    menus: [bar('webhooks', '3_code@1')],
  },
} satisfies Record<string, CommandRow>;
