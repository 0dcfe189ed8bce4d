// The service from its sources, as `src/service/start.ts` runs it from its build.
import { begin } from '../../../src/service/ahead.ts';
import { run } from '../../../src/service/main.ts';

void begin(process.argv.slice(2), process.env).then(run);
