import * as monitors from '../monitors.ts';
import { endpoint } from './endpoint.ts';

const errors = { 403: 'The monitor belongs to a different team', 404: 'Monitor not found' } as const;

/** Pages that are read again and again, and compared. */
export const monitorEndpoints = {
  createMonitor: endpoint('POST', '/v2/monitor', {
    summary: 'Create a monitor: read pages on a schedule and report what changed',
    body: monitors.createMonitorBody,
    response: monitors.monitorAnswer,
    errors: { 409: 'The team has the maximum number of monitors' },
  }),
  listMonitors: endpoint('GET', '/v2/monitor', {
    summary: 'List monitors',
    query: monitors.listQuery,
    response: monitors.monitorList,
  }),
  getMonitor: endpoint('GET', '/v2/monitor/:monitorId', {
    summary: 'Get a monitor',
    params: monitors.monitorParams,
    response: monitors.monitorAnswer,
    errors,
  }),
  updateMonitor: endpoint('PATCH', '/v2/monitor/:monitorId', {
    summary: 'Change a monitor, pause it or resume it',
    params: monitors.monitorParams,
    body: monitors.updateMonitorBody,
    response: monitors.monitorAnswer,
    errors,
  }),
  deleteMonitor: endpoint('DELETE', '/v2/monitor/:monitorId', {
    summary: 'Delete a monitor and its checks',
    params: monitors.monitorParams,
    response: monitors.deletedMonitor,
    errors,
  }),
  runMonitor: endpoint('POST', '/v2/monitor/:monitorId/run', {
    summary: 'Check the pages of a monitor now',
    params: monitors.monitorParams,
    response: monitors.checkAnswer,
    errors,
  }),
  listMonitorChecks: endpoint('GET', '/v2/monitor/:monitorId/checks', {
    summary: 'List the checks of a monitor, newest first',
    params: monitors.monitorParams,
    query: monitors.listQuery,
    response: monitors.checkList,
    errors,
  }),
  getMonitorCheck: endpoint('GET', '/v2/monitor/:monitorId/checks/:checkId', {
    summary: 'Get a check with its pages and how they changed',
    params: monitors.checkParams,
    query: monitors.checkQuery,
    response: monitors.checkDetail,
    errors,
  }),
} as const;
