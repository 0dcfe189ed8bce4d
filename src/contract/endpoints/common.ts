import * as z from 'zod';
import { jobId } from '../fields.ts';

/** Why code may find no browser. */
export const noBrowser = 'No Chrome to run it in, or what the language needs is missing; the message says what to do';

/** Why a job is refused. */
export const othersJob = 'The job belongs to a different team';

/** The path parameters of a job. */
export const jobParams = z.object({
  jobId: jobId.meta({ description: 'The id that was answered when the job was started' }),
});
