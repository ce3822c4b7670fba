/** The models of this server, in place of those of a service. */
import type { ModelCapability } from '#core/api-client';
import type { Parameter } from '#core/workflow-format';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { chooseInstalled } from '../../models/request-models.ts';
import { flag, text } from '../../shared/parameters.ts';
import type { ModelServer } from '../wire/model-request.ts';

/** Parameters that only tabd has. They are first in each model node. */
export const localParameters: Parameter[] = [
  flag('useLocalModel', 'Use the Local Model', {
    literal: true,
    description: 'A model of this server answers, and no credential is needed.',
  }),
  text('localModelName', 'Local Model', {
    show: { useLocalModel: [true] },
    placeholder: 'The first one that is installed',
    description: 'Name of an installed model, such as smollm2:135m. Empty: the first one that fits.',
  }),
];

export function usesLocalModel(context: Pick<NodeContext, 'literal'>): boolean {
  return context.literal<unknown>('useLocalModel', false) === true;
}

export function localServer(context: Pick<NodeContext, 'localApis'>): ModelServer {
  return {
    baseUrl: '',
    headers: {},
    errors: 'plain',
    fetch: (path, init) => context.localApis.fetch(path, init),
  };
}

/** The installed model that the node names, or the first one that can do the work. */
export async function localModelName(
  context: NodeContext,
  capability: ModelCapability,
  itemIndex: number,
): Promise<string> {
  const name = String((await context.parameter('localModelName', itemIndex, '')) ?? '').trim();
  return name || chooseInstalled(context, capability);
}
