import { LitPlugin, Presets } from '@retejs/lit-plugin';
import { html } from 'lit';
import type { UploadFile } from '../controls/field.ts';
import type { GraphState } from '../state/graph-state.ts';
import './graph-node.ts';
import { minimapPreset } from './minimap.ts';
import type { SocketPositions } from './socket-positions.ts';
import type { Scheme } from './view-node.ts';

// biome-ignore lint/suspicious/noExplicitAny: rete's plugins type the signals of all others
type Any = any;

/** Creates rete's renderer for nodes, the wire that is being drawn, and the minimap. */
export function createRenderer(state: GraphState, sockets: SocketPositions, upload: UploadFile | undefined) {
  const renderer = new LitPlugin<Scheme, Any>();
  renderer.addPreset(
    Presets.classic.setup({
      socketPositionWatcher: sockets as Any,
      customize: {
        node:
          ({ payload }: Any) =>
          ({ emit }: Any) =>
            html`<tabd-graph-node
              .data=${payload}
              .emit=${emit}
              .state=${state}
              .upload=${upload}
            ></tabd-graph-node>`,
        connection:
          () =>
          ({ path }: { path: string }) =>
            // Rete renders this into a shadow root, which the style sheets do not reach.
            html`<svg style="position:absolute;width:1px;height:1px;overflow:visible;pointer-events:none">
              <path
                d=${path ?? ''}
                style="fill:none;stroke:var(--wire);stroke-width:2.5px;stroke-linecap:round"
              />
            </svg>`,
      },
    } as Any) as Any,
  );
  renderer.addPreset(minimapPreset as Any);
  return renderer;
}
