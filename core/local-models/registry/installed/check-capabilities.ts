/** Refusals of what a model cannot do, with the documented texts. */
import { ApiError } from '#core/http';
import type { Capability, InstalledModel } from '../../base/installed-model.ts';
import type { ThinkLevel } from '../../base/messages.ts';

export interface Wanted {
  /** What the route does: `chat`, `generate`. */
  task: string;
  /** The model as the client spelled it. */
  spelled: string;
  tools: boolean;
  insert: boolean;
  think: boolean | ThinkLevel | undefined;
}

/** Throws ApiError 400. */
export function checkCapabilities(model: InstalledModel, wanted: Wanted): void {
  const has = (capability: Capability) => model.capabilities.includes(capability);
  const refuse = (name: string, what: string) => {
    throw new ApiError(400, `${name} does not support ${what}`);
  };
  const { host, namespace, model: name, tag } = model.name;
  const full = `${host}/${namespace}/${name}:${tag}`;
  if (!has('completion')) refuse(JSON.stringify(wanted.spelled), wanted.task);
  if (wanted.tools && !has('tools')) refuse(full, 'tools');
  if (wanted.insert && !has('insert')) refuse(full, 'insert');
  if (wanted.think && !has('thinking')) refuse(JSON.stringify(wanted.spelled), 'thinking');
}
