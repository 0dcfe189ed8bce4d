/** Path of the metrics, in the text format of Prometheus. */
export const metricsPath = '/metrics';
/** Answers as long as the process does. */
export const livenessPath = '/health/live';
/** Answers 503 while requests should go to another node. */
export const readinessPath = '/health/ready';
/** Header with the ID of a request, which its log lines have too. */
export const requestIdHeader = 'x-request-id';
