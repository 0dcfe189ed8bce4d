// Runs the published clients and writes their calls into docs/clients.md.
import { runSuite } from './lib/run-suite.mjs';

process.env.WEBDATA_CLIENTS_PAGE = 'write';
const { failed } = await runSuite('clients', { files: [] });
process.exitCode = failed === 0 ? 0 : 1;
