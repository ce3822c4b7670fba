import { ApiError } from '#core/http';
import type { Capability, InstalledModel } from '../../base/installed-model.ts';
import type { ThinkLevel } from '../../base/messages.ts';

/** The features of a model that a request uses. */
export interface RequestedFeatures {
  /** The operation of the route: `chat`, `generate`. */
  task: string;
  /** The model in the client's spelling. */
  requestedName: string;
  tools: boolean;
  insert: boolean;
  think: boolean | ThinkLevel | undefined;
}

/** @throws ApiError 400 with Ollama's text when the model lacks a capability */
export function checkCapabilities(model: InstalledModel, features: RequestedFeatures): void {
  const has = (capability: Capability) => model.capabilities.includes(capability);
  const refuse = (name: string, feature: string) => {
    throw new ApiError(400, `${name} does not support ${feature}`);
  };
  const { host, namespace, model: name, tag } = model.name;
  const fullName = `${host}/${namespace}/${name}:${tag}`;
  const requestedName = JSON.stringify(features.requestedName);
  if (!has('completion')) refuse(requestedName, features.task);
  if (features.tools && !has('tools')) refuse(fullName, 'tools');
  if (features.insert && !has('insert')) refuse(fullName, 'insert');
  if (features.think && !has('thinking')) refuse(requestedName, 'thinking');
}
