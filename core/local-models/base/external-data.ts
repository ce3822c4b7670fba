/** A graph with the files of its external data. */
export const withExternalData = <F extends { role: string; name?: string }>(
  files: readonly F[],
  graph: F,
): F[] => [
  graph,
  ...files.filter(({ role, name = '' }) => role === 'part' && name.startsWith(graph.name ?? '')),
];
