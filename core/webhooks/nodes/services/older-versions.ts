/** One node of several descriptions, each for some of its versions. */
import type { NodeType } from '../../node-api/node-type.ts';

/** @param types from the oldest to the newest, with versions of their own */
export function nodeOfVersions(types: NodeType[]): NodeType {
  const newest = types.at(-1)!;
  if (types.length === 1) return newest;
  const typeOf = (version: number) => types.find(({ versions }) => version <= versions.at(-1)!) ?? newest;
  const limited = <T extends { versions?: { from?: number; to?: number } }>(
    part: T,
    { versions }: NodeType,
  ): T => ({
    ...part,
    versions: { from: versions[0]!, to: versions.at(-1)!, ...part.versions },
  });
  return {
    ...newest,
    versions: types.flatMap(({ versions }) => versions),
    credentials: types.flatMap((type) => (type.credentials ?? []).map((use) => limited(use, type))),
    parameters: types.flatMap((type) => type.parameters.map((parameter) => limited(parameter, type))),
    issues: (settings) => typeOf(settings.version).issues?.(settings) ?? [],
    execute: (context) => typeOf(context.version).execute(context),
  };
}
