import * as agent from '../agent-jobs.ts';
import { jobParams, othersJob } from './common.ts';
import { endpoint } from './endpoint.ts';

const starting = {
  402: 'No credits left',
  403: 'The address is blocked',
  503: 'No language model is configured; the message says how to set one up',
} as const;
const retrieving = { 403: othersJob, 404: 'Job not found or expired' } as const;
const retrieval = {
  params: jobParams,
  response: agent.agentState,
  errors: retrieving,
} as const;

/** Agent and extract jobs, which gather data with a language model. */
export const agentEndpoints = {
  startAgent: endpoint('POST', '/v2/agent', {
    summary: 'Start an agent that gathers data from the web',
    body: agent.startAgentBody,
    response: agent.startedAgent,
    errors: starting,
  }),
  listAgents: endpoint('GET', '/v2/agent', {
    summary: 'List the agent jobs of the last day',
    query: agent.listAgentsQuery,
    response: agent.agentList,
  }),
  getAgent: endpoint('GET', '/v2/agent/:jobId', {
    summary: 'Get the status and the data of an agent or extract job',
    ...retrieval,
  }),
  getAgentTrace: endpoint('GET', '/v2/agent/:jobId/trace', {
    summary: 'Get the events of an agent or extract job, which say what it did',
    params: jobParams,
    response: agent.agentTrace,
    errors: retrieving,
  }),
  getAgentSnapshot: endpoint('GET', '/v2/agent/:jobId/snapshots/:snapshotId', {
    summary: 'Get the data of an agent or extract job by the snapshotId of its trace',
    params: agent.snapshotParams,
    response: agent.agentSnapshot,
    errors: { 403: othersJob, 404: 'Job not found or expired, or it has no such snapshot' },
  }),
  cancelAgent: endpoint('DELETE', '/v2/agent/:jobId', {
    summary: 'Cancel an agent or extract job',
    params: jobParams,
    response: agent.cancelledAgent,
    errors: { 403: othersJob, 404: 'Job not found', 409: 'The job has already ended' },
  }),
  startExtract: endpoint('POST', '/v2/extract', {
    summary: 'Start a job that extracts data from pages',
    body: agent.startExtractBody,
    response: agent.startedExtract,
    errors: starting,
  }),
  getExtract: endpoint('GET', '/v2/extract/:jobId', {
    summary: 'Get the status and the data of an extract or agent job',
    ...retrieval,
  }),
} as const;
