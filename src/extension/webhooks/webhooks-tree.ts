import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { setContextKey } from '../ui/commands.ts';
import { type CommandId, commands, views } from '../ui/ids.ts';
import { Disposables } from '../ui/lifecycle.ts';
import { icons, type RowIcon, rowItem } from '../ui/row-item.ts';
import { createTreeView } from '../ui/stand-ins/views.ts';
import { label, shortId } from '../ui/text/text.ts';
import {
  deliveryTexts,
  forwardingTexts,
  receiverTexts,
  refusedText,
  secretText,
  viewMessage,
} from './delivery-texts.ts';
import type { DeliverySummary, ForwardingSummary } from './receiver/deliveries.ts';
import type { WindowReceiver } from './window-receiver.ts';

/** A row: the receiver, a fact about it, a delivery, a handler response, or "Load More…". */
export type WebhookNode =
  | { kind: 'receiver' }
  | { kind: 'fact'; fact: Fact }
  | { kind: 'delivery'; num: number }
  | { kind: 'forwarding'; num: number; delivery: number }
  | { kind: 'more' };
type Fact = 'url' | 'publicUrl' | 'secret' | 'handler' | 'refused';

const redrawEveryMs = 100;

/** The "Webhooks" view. */
export class WebhooksTree extends Disposables implements vscode.TreeDataProvider<WebhookNode> {
  #receiver: WindowReceiver;
  #changed = this.add(new vscode.EventEmitter<WebhookNode | undefined>());
  #view: vscode.TreeView<WebhookNode>;
  #redraw: NodeJS.Timeout | undefined;
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(receiver: WindowReceiver, onError: (error: unknown) => void) {
    super();
    this.#receiver = receiver;
    this.#view = this.add(createTreeView<WebhookNode>(views.webhooks, this));
    this.add({ dispose: () => clearTimeout(this.#redraw) });
    this.add(
      this.#view.onDidChangeVisibility(({ visible }) => {
        receiver.store.setVisible(visible);
        if (visible) receiver.load().catch(onError);
      }),
    );
    this.add(receiver.store.onChange.on(() => this.#storeChanged()));
    this.#storeChanged();
    receiver.store.setVisible(this.#view.visible);
    if (this.#view.visible) receiver.load().catch(onError);
  }

  getChildren(element?: WebhookNode): WebhookNode[] {
    const { store } = this.#receiver;
    if (!element) {
      const { deliveries, total, state, jobId } = store.shown;
      // The view's welcome content is shown when there are no rows.
      if (state.kind !== 'listening' && state.kind !== 'starting' && deliveries.length === 0 && jobId === undefined)
        return [];
      const rows: WebhookNode[] = deliveries.map(({ num }) => ({ kind: 'delivery', num }));
      return [{ kind: 'receiver' }, ...rows, ...(total > deliveries.length ? [{ kind: 'more' as const }] : [])];
    }
    if (element.kind === 'receiver')
      return (Object.keys(this.#facts()) as Fact[]).map((fact) => ({ kind: 'fact', fact }));
    if (element.kind !== 'delivery') return [];
    const forwardings = store.find(element.num)?.forwardings ?? [];
    return forwardings.map(({ num }) => ({ kind: 'forwarding', num, delivery: element.num }));
  }

  getTreeItem(node: WebhookNode): vscode.TreeItem {
    const { store } = this.#receiver;
    if (node.kind === 'receiver') return this.#receiverItem();
    if (node.kind === 'fact') return this.#factItem(node.fact);
    if (node.kind === 'more') return moreItem(store.shown.total - store.shown.deliveries.length);
    const delivery = store.find(node.kind === 'delivery' ? node.num : node.delivery);
    if (node.kind === 'delivery') return delivery ? deliveryItem(delivery) : new vscode.TreeItem('');
    const forwarding = delivery?.forwardings.find(({ num }) => num === node.num);
    return forwarding ? forwardingItem(forwarding) : new vscode.TreeItem('');
  }

  getParent(node: WebhookNode): WebhookNode | undefined {
    if (node.kind === 'fact') return { kind: 'receiver' };
    return node.kind === 'forwarding' ? { kind: 'delivery', num: node.delivery } : undefined;
  }

  /** Expands a delivery without moving the focus. */
  async reveal(num: number): Promise<void> {
    if (!this.#view.visible || !this.#receiver.store.find(num)) return;
    // A row without children can't be expanded: redraw it first.
    this.#draw();
    await this.#view.reveal({ kind: 'delivery', num }, { select: true, focus: false, expand: true });
  }

  #receiverItem(): vscode.TreeItem {
    const { state } = this.#receiver.store.shown;
    const texts = receiverTexts(state);
    return rowItem({
      ...texts,
      id: 'receiver',
      spoken: `${texts.label}, ${texts.description}`,
      icon: state.kind === 'listening' ? 'radio-tower' : 'circle-slash',
      context: ['receiver', state.kind === 'listening' ? 'listening' : 'idle'],
      below: 'expanded',
    });
  }

  /** What is known of the receiver: name, text, icon, and the command of its row. */
  #facts() {
    const { state, refused, secretUse, forwardsNew, handler: url } = this.#receiver.store.shown;
    const handler = url ? label(url, 100) : l10n.t('not set');
    const forwarded = forwardsNew ? l10n.t('{0} · new deliveries are forwarded', handler) : handler;
    const listening = state.kind === 'listening' ? state : undefined;
    return {
      ...(listening && { url: ['URL', listening.url, 'link'] }),
      ...(listening?.publicUrl && { publicUrl: [l10n.t('Public URL'), label(listening.publicUrl, 200), 'globe'] }),
      secret: [
        l10n.t('Secret'),
        secretText(secretUse),
        secretUse === 'none' ? 'unlock' : 'lock',
        commands.setWebhookSecret,
      ],
      handler: [l10n.t('Handler'), forwarded, 'arrow-right', commands.setWebhookHandler],
      ...(refused && { refused: [l10n.t('Refused'), refusedText(refused), 'warning'] }),
    } as Partial<Record<Fact, [name: string, text: string, icon: string, command?: CommandId]>>;
  }

  #factItem(fact: Fact): vscode.TreeItem {
    const [name = '', description = '', icon, command] = this.#facts()[fact] ?? [];
    const spoken = `${name}: ${description}`;
    return rowItem({
      id: `fact ${fact}`,
      label: name,
      description,
      tooltip: spoken,
      spoken,
      icon,
      context: ['fact', fact],
      command: command && { command, title: name },
    });
  }

  #storeChanged(): void {
    const { shown } = this.#receiver.store;
    const { state, hasDeliveries, jobId, unseen } = shown;
    setContextKey('webhooksState', state.kind);
    setContextKey('hasDeliveries', hasDeliveries);
    this.#view.message = viewMessage(shown);
    this.#view.description = jobId === undefined ? undefined : l10n.t('job {0}', shortId(jobId));
    const tooltip = unseen === 1 ? l10n.t('1 new webhook delivery') : l10n.t('{0} new webhook deliveries', unseen);
    this.#view.badge = unseen > 0 ? { value: unseen, tooltip } : undefined;
    this.#redraw ??= setTimeout(() => this.#draw(), redrawEveryMs);
  }

  #draw(): void {
    clearTimeout(this.#redraw);
    this.#redraw = undefined;
    this.#changed.fire(undefined);
  }
}

function deliveryItem(delivery: DeliverySummary): vscode.TreeItem {
  const { num, hasMarkdown, jobId, forwardings } = delivery;
  return rowItem({
    ...deliveryTexts(delivery, Date.now()),
    id: `delivery ${num}`,
    icon: deliveryIcon(delivery),
    context: ['delivery', hasMarkdown && 'markdown', jobId && 'job'],
    command: { command: commands.openWebhookDelivery, title: l10n.t('Open'), arguments: [{ num }] },
    below: forwardings.length > 0 ? 'collapsed' : undefined,
  });
}

function deliveryIcon({ success, verification }: DeliverySummary): RowIcon {
  if (!success) return icons.failed;
  return verification === 'unverified' ? 'unverified' : ['verified', 'testing.iconPassed'];
}

function forwardingItem(forwarding: ForwardingSummary): vscode.TreeItem {
  const { num, status } = forwarding;
  return rowItem({
    ...forwardingTexts(forwarding, Date.now()),
    id: `forwarding ${num}`,
    icon: status !== undefined && status >= 200 && status <= 299 ? 'arrow-small-right' : 'warning',
    context: ['forwarding'],
    command: { command: commands.openWebhookResponse, title: l10n.t('Open'), arguments: [{ num }] },
  });
}

function moreItem(older: number): vscode.TreeItem {
  const command = { command: commands.loadMoreWebhooks, title: l10n.t('Load More') };
  const texts = { label: l10n.t('Load More…'), description: l10n.t('{0} older', older) };
  return rowItem({ id: 'more', ...texts, icon: icons.more, command });
}
