/** Variables that only one node's expressions have: those of HTTP Request, which fetches page after page. */
export type ExtraVariables = Partial<Record<'$pageCount' | '$request' | '$response', unknown>>;
