import assert from 'node:assert/strict';
import type { CdpClient } from '../../../src/service/browsers/chrome/cdp-client.ts';
import { type AccessibilityNode, type FrameTree, outline } from '../../../src/service/browsers/page/driver/outline.ts';
import { Refs, refsOf } from '../../../src/service/browsers/page/driver/refs.ts';

type Part = [role: string, name?: string, more?: object | Part[], children?: Part[]];

/** Makes a frame's accessibility tree from nested parts. */
function frame(parts: Part[], options: Partial<FrameTree> = {}): FrameTree {
  const nodes: AccessibilityNode[] = [];
  const add = ([role, name = '', more = {}, children = []]: Part, parentId?: string): string => {
    const [fields, inside] = Array.isArray(more) ? [{}, more] : [more, children];
    const nodeId = String(nodes.length + 1);
    const node = {
      nodeId,
      role: { value: role },
      name: { value: name },
      backendDOMNodeId: Number(nodeId),
      ...(parentId && { parentId }),
      ...fields,
    } as AccessibilityNode;
    nodes.push(node);
    node.childIds = inside.map((child) => add(child, nodeId));
    return nodeId;
  };
  add(['RootWebArea', 'Page', parts]);
  return {
    nodes,
    clickable: { pointer: new Set(), listener: new Set(), focusable: new Set(), hintOf: () => '' },
    refOf: (id) => `e${id}`,
    frameIn: () => undefined,
    ...options,
  };
}

const text = (value: string): Part => ['StaticText', value];

describe('the outline of a page', () => {
  it('shows text, and elements with their roles, names, values, states and references', async () => {
    const page = frame([
      ['heading', 'Shop', { properties: [{ name: 'level', value: { value: 1 } }] }, [text('Shop')]],
      ['textbox', 'Name', { value: { value: 'Ada' }, properties: [{ name: 'required', value: { value: true } }] }],
      ['checkbox', 'Gift', { properties: [{ name: 'checked', value: { value: 'true' } }] }],
      ['button', 'Buy', [text('Buy')]],
    ]);
    assert.equal(
      await outline(page),
      'h1 Shop\ntextbox "Name" [e4] ="Ada" required\ncheckbox "Gift" [e5] checked\nbutton "Buy" [e6]',
    );
  });

  it('says each thing once: not the label beside its field, nor the text in a link', async () => {
    const page = frame([
      ['LabelText', '', [text('Name:'), ['textbox', 'Name']]],
      ['link', 'Cart (2)', [text('Cart'), ['generic', '', [text('(2)')]]]],
    ]);
    assert.equal(await outline(page), 'textbox "Name" [e4]\nlink "Cart (2)" [e5]');
  });

  it('writes rows of tables and items of lists on one line', async () => {
    const cell = (...inside: Part[]): Part => ['cell', '', inside];
    const page = frame([
      ['table', '', [['row', '', [cell(text('Apple')), cell(text('2.40')), cell(['button', 'Buy'])]]]],
      ['list', '', [['listitem', '', [['ListMarker', '•'], text('One'), ['link', 'more']]]]],
    ]);
    assert.equal(await outline(page), 'table\n | Apple | 2.40 | button "Buy" [e9]\n- One link "more" [e14]');
  });

  it('lists the options of a list, at most 20, and never how long a password is', async () => {
    const options = Array.from({ length: 25 }, (_, index): Part => ['option', `Size ${index}`]);
    const page = frame([
      ['combobox', 'Size', { value: { value: 'Size 3' } }, [['MenuListPopup', '', options]]],
      ['textbox', 'Password', { value: { value: '••••••••' } }],
    ]);
    const [list, password] = (await outline(page)).split('\n');
    assert.match(list ?? '', /^combobox "Size" \[e2\] ="Size 3" \(Size 0 \| .* \| Size 19 \| …5 more\)$/);
    assert.equal(password, 'textbox "Password" [e29] ="…"');
  });

  it('makes what responds to clicks an element, unless something in it is one', async () => {
    const parts: Part[] = [
      ['generic', '', [text('Card')]],
      ['generic', '', [text('Row'), ['button', 'Edit']]],
    ];
    const clickable = {
      pointer: new Set([2]),
      listener: new Set([4]),
      focusable: new Set<number>(),
      hintOf: () => '.card',
    };
    assert.equal(await outline(frame(parts, { clickable })), 'clickable "Card" [e2]\nRow\nbutton "Edit" [e6]');
  });

  it('says what an element without a name is in the source, and nothing of one with a name', async () => {
    const parts: Part[] = [['generic'], ['button', 'Edit'], ['button'], ['textbox']];
    const hints = new Map([
      [2, '.trash'],
      [3, '.edit'],
      [4, '#bold [e9]'],
    ]);
    const none = new Set<number>();
    const hintOf = (id: number) => hints.get(id) ?? '';
    const clickable = { pointer: new Set([2]), listener: none, focusable: none, hintOf };
    assert.equal(
      await outline(frame(parts, { clickable })),
      'clickable .trash [e2]\nbutton "Edit" [e3]\nbutton #bold (e9) [e4]\ntextbox [e5]',
    );
  });

  it('shows what is reached with the Tab key if it has no text, such as the handle of a slider', async () => {
    const parts: Part[] = [
      ['generic', '', [['generic']]],
      ['generic', '', [text('Scrolls')]],
    ];
    const clickable = {
      pointer: new Set<number>(),
      listener: new Set([2]),
      focusable: new Set([3, 4]),
      hintOf: () => '.handle',
    };
    assert.equal(await outline(frame(parts, { clickable })), 'clickable .handle [e3]\nScrolls');
  });

  it('shows the content of frames in their place', async () => {
    const inside = frame([['button', 'Inside']], { refOf: (id) => `e${id + 100}` });
    const page = frame([text('Before'), ['Iframe', 'Ad'], text('After')], {
      frameIn: (id) => (id === 3 ? inside : undefined),
    });
    assert.equal(await outline(page), 'Before\niframe "Ad": button "Inside" [e102]\nAfter');
  });

  it('leaves nothing in text that looks like a reference', async () => {
    const page = frame([text('button "Buy" [e1] [e22]'), ['link', 'see [e3]']]);
    assert.equal(await outline(page), 'button "Buy" (e1) (e22)\nlink "see (e3)" [e3]');
    const disguised = ['[e\u{e0041}1]', '[\u202ee1]', '[e\u200b1]', '[e1\u00ad]', '[e\u{7}1]'].map((each) =>
      text(each),
    );
    assert.equal(await outline(frame(disguised)), '(e1) (e1) (e\u200b1) (e1\u00ad) (e1)');
  });

  it('survives a page that nests a hundred thousand elements', async () => {
    let nested: Part = text('deep');
    for (let depth = 0; depth < 1000; depth++) nested = ['generic', '', [nested]];
    assert.equal(await outline(frame([nested])), 'deep');
    const nodes = Array.from(
      { length: 100_000 },
      (_, index): AccessibilityNode => ({
        nodeId: String(index),
        ignored: false,
        role: { type: 'role', value: 'generic' },
        ...(index > 0 && { parentId: String(index - 1) }),
        childIds: [String(index + 1)],
      }),
    );
    assert.equal(await outline({ ...frame([]), nodes }), '');
  });

  it('shows a page whose text is nested deeply, once', async () => {
    const long = 'word '.repeat(50).trim();
    let nested: Part[] = Array.from({ length: 3000 }, () => ['paragraph', '', [text(long)]]);
    for (let depth = 0; depth < 1000; depth++) nested = [['region', 'r', nested]];
    const written = (await outline(frame(nested))).split('\n');
    assert.equal(written.filter((line) => line.trim() === long).length, 3000);
    assert.equal(written.length, 4000);
  });

  it('shows what it can of a page that puts very much into very many elements', async () => {
    let nested: Part[] = Array.from({ length: 10_000 }, () => ['paragraph', '', [text('word')]]);
    for (let depth = 0; depth < 1000; depth++) nested = [['generic', '', nested]];
    assert.equal(await outline(frame([text('First'), ...nested])), 'First');
  });

  it('shows a text of megabytes beside an element', async () => {
    const long = `${'*'.repeat(1_000_000)}.`;
    const page = frame([['button', 'Buy'], text(long), ['button', 'Sell'], text('Sell: *')]);
    assert.equal(await outline(page), `button "Buy" [e2]\n${long}\nbutton "Sell" [e4]`);
  });

  it('TRN-15: lets others have their turn while it describes very many elements', async () => {
    const nodes = frame(Array.from({ length: 20_000 }, (_, index) => ['button', `Buy ${index}`]));
    let turns = 0;
    setImmediate(() => turns++);
    const described = await outline(nodes);
    assert.equal(described.split('\n').length, 20_000);
    assert.ok(turns > 0);
  });
});

describe('references', () => {
  it('stay with their element, and are never used for another one', () => {
    const refs = new Refs();
    const element = { loaderId: 'one', backendNodeId: 7 };
    assert.equal(refs.of(element), 'e1');
    assert.equal(refs.of({ ...element, backendNodeId: 8 }), 'e2');
    assert.equal(refs.of(element), 'e1');
    // Another document may use the number of the node again.
    assert.equal(refs.of({ ...element, loaderId: 'two' }), 'e3');
    assert.deepEqual(refs.find('[e1]'), element);
    assert.equal(refs.find('e4'), undefined);
    assert.equal(refs.find('__proto__'), undefined);
  });

  it('are forgotten from the oldest on when there are very many', () => {
    const refs = new Refs();
    for (let id = 0; id <= 50_000; id++) refs.of({ loaderId: 'one', backendNodeId: id });
    assert.equal(refs.find('e1'), undefined);
    assert.equal(refs.find('e50001')?.backendNodeId, 50_000);
  });

  it('belong to a browser', () => {
    const [one, other] = [{} as CdpClient, {} as CdpClient];
    assert.equal(refsOf(one), refsOf(one));
    assert.notEqual(refsOf(one), refsOf(other));
  });
});
