import * as z from 'zod';
import { jobId } from '../fields.ts';

/** Meaning of 503 for calls that need a browser. */
export const noBrowser = 'Chrome or the runtime of the language is missing; the message says what to do';

/** Meaning of 403 for jobs. */
export const othersJob = 'The job belongs to a different team';

/** Errors of calls about an open session. */
export const sessionErrors = {
  403: 'The session belongs to another team',
  404: 'Session not found',
  410: 'The session was destroyed',
} as const;

/** The path parameters of a job. */
export const jobParams = z.object({
  jobId: jobId.describe('The id from the response that started the job'),
});
