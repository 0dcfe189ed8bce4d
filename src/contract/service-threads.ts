/**
 * Environment variable with the threads of a Node.js process for files, compression and look-ups of names, and how many the
 * service has. Look-ups take at most half of them, and each keeps its own for as long as no name server answers.
 */
export const [threadsVariable, serviceThreads] = ['UV_THREADPOOL_SIZE', '24'] as const;
