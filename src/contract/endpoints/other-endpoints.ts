import * as z from 'zod';
import { responseBody } from '../fields.ts';
import { jobParams, othersJob } from './common.ts';
import { endpoint } from './endpoint.ts';

const notSupported = { 501: 'Not supported by the embedded service' };

/** The endpoints that the embedded service does not support. */
export const otherEndpoints = {
  startExtract: endpoint({
    method: 'POST',
    path: '/v2/extract',
    summary: 'Extract data from pages',
    section: 'Agent',
    response: responseBody({}),
    errors: notSupported,
  }),
  getExtract: endpoint({
    method: 'GET',
    path: '/v2/extract/:jobId',
    summary: 'Get an extract or agent job',
    section: 'GET /v2/team/activity',
    params: jobParams,
    response: responseBody({ success: z.boolean().optional(), status: z.string().nullish() }),
    errors: { 403: othersJob, 404: 'Job not found' },
  }),
  startAgent: endpoint({
    method: 'POST',
    path: '/v2/agent',
    summary: 'Gather web data with an agent',
    section: 'Agent',
    response: responseBody({}),
    errors: notSupported,
  }),
  getAgent: endpoint({
    method: 'GET',
    path: '/v2/agent/:jobId',
    summary: 'Get an agent job',
    section: 'GET /v2/team/activity',
    params: jobParams,
    response: responseBody({ success: z.boolean().optional(), status: z.string().nullish() }),
    errors: { 403: othersJob, 404: 'Job not found' },
  }),
} as const;
