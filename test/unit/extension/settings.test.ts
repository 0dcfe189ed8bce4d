import assert from 'node:assert/strict';
import { fake } from '../../harness/fake-vscode.ts';

const { serviceTuning } = await import('../../../src/extension/connection/embedded/service-settings.ts');
const { replaceOldSetting } = await import('../../../src/extension/ui/settings.ts');

describe('a setting of an older version', () => {
  beforeEach(() => fake.reset());
  const [old, current] = ['webdata.session.activityTtl', 'webdata.session.idleMinutes'];

  it('becomes the one that replaces it, once', async () => {
    fake.settings.set(old, 90);
    await replaceOldSetting();
    assert.deepEqual([fake.settings.get(old), fake.settings.get(current)], [undefined, 2]);
    fake.settings.set(current, 5);
    await replaceOldSetting();
    assert.equal(fake.settings.get(current), 5);
  });

  it('changes nothing that was chosen since', async () => {
    fake.settings.set(old, 90);
    fake.settings.set(current, 0);
    await replaceOldSetting();
    assert.deepEqual([fake.settings.get(old), fake.settings.get(current)], [undefined, 0]);
  });
});

describe('the path of agent-browser in the settings of an older version', () => {
  const variable = process.env.WEBDATA_AGENT_BROWSER;
  beforeEach(() => {
    fake.reset();
    delete process.env.WEBDATA_AGENT_BROWSER;
  });
  afterEach(() => {
    if (variable !== undefined) process.env.WEBDATA_AGENT_BROWSER = variable;
    else delete process.env.WEBDATA_AGENT_BROWSER;
  });

  it('is used until the environment variable is set', () => {
    for (const name of ['embedded.pythonPath', 'search.endpoint']) fake.settings.set(`webdata.${name}`, '');
    assert.equal(serviceTuning().agentBrowserPath, '');
    fake.settings.set('webdata.embedded.agentBrowserPath', ' /opt/agent-browser ');
    assert.equal(serviceTuning().agentBrowserPath, '/opt/agent-browser');
    process.env.WEBDATA_AGENT_BROWSER = '/usr/bin/agent-browser';
    assert.equal(serviceTuning().agentBrowserPath, '');
  });
});
