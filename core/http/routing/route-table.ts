import type { Route, RouteCall } from './api.ts';

/**
 * Answers one route. `services` is what all handlers of the API work with. It throws errors, which the API prints:
 * `ApiError`, or others for an internal error.
 */
export type RouteHandler<Services> = (services: Services, call: RouteCall) => Response | Promise<Response>;

/** Rows of methods (separated by spaces), path and handler: `['HEAD GET', '/api/version', version]`. */
export type RouteTable<Services> = readonly (readonly [
  methods: string,
  path: string,
  handler: RouteHandler<Services>,
])[];

/** Turns a table into routes, one for each method, whose handlers receive `services`. */
export function bindRoutes<Services>(services: Services, table: RouteTable<Services>): Route[] {
  return table.flatMap(([methods, path, handler]) =>
    methods.split(' ').map((method) => ({ method, path, handle: (call) => handler(services, call) })),
  );
}
