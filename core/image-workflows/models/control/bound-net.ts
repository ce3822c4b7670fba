import type { ControlNet } from '../../values/control-net.ts';
import type { ModelGraph } from '../../values/model-graph.ts';
import type { DiffusionNetwork } from '../../values/network.ts';

/**
 * A control net that takes weights of the model it is used with. It opens at the first use with each model.
 * @param unbound the message for a use without a model
 * @param open opens the net for a model. Rejects when they do not fit
 */
export function boundNet(
  unbound: string,
  open: (network: DiffusionNetwork) => Promise<ControlNet>,
): ControlNet {
  const nets = new WeakMap<ModelGraph, Promise<ControlNet>>();
  const netFor = (network: DiffusionNetwork): Promise<ControlNet> => {
    const { graph } = network;
    if (!graph) return open(network);
    const net = nets.get(graph) ?? open(network);
    nets.set(graph, net);
    // After a failure, the next step tries again.
    net.catch(() => nets.delete(graph));
    return net;
  };
  const bound = (network: DiffusionNetwork | undefined): ControlNet => ({
    async residuals(...inputs) {
      if (!network) throw new Error(unbound);
      return (await netFor(network)).residuals(...inputs);
    },
    ofType: () => bound(network),
    forNetwork: bound,
  });
  return bound(undefined);
}
