import { css } from 'lit';

/** Styles of the layers below the nodes: wires and frames of groups. */
export const layerStyles = css`
  .layer {
    position: absolute;
    left: 0;
    top: 0;
    will-change: transform;
  }
  .wires {
    position: absolute;
    left: 0;
    top: 0;
    z-index: -1;
    width: 1px;
    height: 1px;
    overflow: visible;
    pointer-events: none;
    fill: none;
    stroke-width: 2.5px;
    stroke-linecap: round;
  }
  .wires .chosen {
    stroke-width: 5px;
  }
  .group {
    --group: var(--soft);
    position: absolute;
    left: 0;
    top: 0;
    z-index: -2;
    border: 1.5px solid color-mix(in srgb, var(--group) 55%, transparent);
    border-radius: 12px;
    background-color: color-mix(in srgb, var(--group) 9%, transparent);
    pointer-events: none;
  }
  .group.chosen {
    border-color: var(--accent);
    box-shadow: 0 0 0 2px var(--accent);
  }
  .group .name {
    display: block;
    max-width: 100%;
    max-height: 100%;
    padding: 5px 14px;
    overflow: hidden;
    font-size: 15px;
    font-weight: 600;
    line-height: 24px;
    white-space: pre-line;
    overflow-wrap: anywhere;
    color: color-mix(in srgb, var(--group) 55%, var(--text));
    cursor: grab;
    pointer-events: auto;
    touch-action: none;
    user-select: none;
  }
  .group .name:empty::before {
    content: '\\2026';
  }
  .group .corner {
    position: absolute;
    right: 0;
    bottom: 0;
    width: 22px;
    height: 22px;
    border: solid color-mix(in srgb, var(--group) 70%, transparent);
    border-width: 0 4px 4px 0;
    border-radius: 0 0 11px;
    cursor: nwse-resize;
    pointer-events: auto;
    touch-action: none;
  }
`;
