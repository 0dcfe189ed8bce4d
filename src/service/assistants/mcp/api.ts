import { embeddedEndpoints } from '../../../contract/embedded.ts';
import { type Endpoint, endpoints, type RequestOf, type ResponseOf } from '../../../contract/endpoints.ts';
import { ServiceError } from '../../platform/errors.ts';
import { checkRequest, type Handler, type Handlers, JsonText } from '../../platform/http/bind.ts';
import type { Caller } from '../../platform/http/keys.ts';

const table = { ...endpoints, ...embeddedEndpoints };
type Table = typeof table;

/** The service's API, called by an agent without HTTP: with the same checks, limits and errors. */
export type Api = <Name extends keyof Handlers>(
  name: Name,
  request: RequestOf<Table[Name]>,
  call: { agent: { readonly caller: Caller }; signal: AbortSignal },
) => Promise<ResponseOf<Table[Name]>>;

export function createApi(handlers: Partial<Handlers>, baseUrl: () => string): Api {
  return async (name, request, { agent: { caller }, signal }) => {
    const entry: Endpoint = table[name];
    const handler = handlers[name] as Handler<Endpoint> | undefined;
    if (!handler) throw new ServiceError(501, `${name} is not supported by this service.`, { code: 'NOT_OFFERED' });
    const { file, ...parts } = request as { file?: unknown };
    const checked = { ...checkRequest(entry, parts), ...(file !== undefined && { file }) };
    const context = { caller, signal, baseUrl: baseUrl(), header: () => undefined };
    const response = await handler(checked as never, context);
    return (response instanceof JsonText ? JSON.parse(response.toString()) : response) as never;
  };
}
