import { css } from 'lit';
import { HEADER_HEIGHT } from '../nodes/node-geometry.ts';

export const nodeStyles = css`
  tabd-graph-node {
    display: block;
    width: max-content;
    padding: 8px 10px 10px;
    margin: -8px -10px;
    content-visibility: auto;
    contain-intrinsic-size: auto 280px auto 220px;
    cursor: grab;
  }
  tabd-graph-node[troubled] {
    content-visibility: visible;
  }
  .card .inside {
    position: absolute;
    inset: 0;
    pointer-events: none;
  }
  .card {
    position: relative;
    padding: 0;
    background: var(--surface);
    border: 1px solid var(--line);
    border-radius: 10px;
    font-size: 12.5px;
    line-height: 20px;
    user-select: none;
    box-shadow: 0 1px 2px rgb(0 0 0 / 8%);
  }
  .card.note {
    background: light-dark(#fdf6dd, #2d2a1c);
  }
  .card.selected {
    border-color: var(--accent);
    box-shadow: 0 0 0 2px var(--accent);
  }
  .card.bad {
    border-color: var(--bad);
  }
  .card.bad:not(.selected) {
    box-shadow: 0 0 0 1px var(--bad);
  }
  .card.running {
    border-color: var(--good);
    box-shadow:
      0 0 0 2px var(--good),
      0 0 18px color-mix(in srgb, var(--good) 45%, transparent);
  }
  .card.muted > :not(.problem),
  .card.bypassed > :not(.problem) {
    opacity: 0.45;
  }
  .card.bypassed {
    border-style: dashed;
  }
  .card header {
    position: relative;
    display: flex;
    align-items: center;
    gap: 6px;
    height: ${HEADER_HEIGHT}px;
    padding: 0 12px;
    border-bottom: 1px solid var(--line);
    font-weight: 600;
    overflow: hidden;
    border-radius: 9px 9px 0 0;
  }
  .card .title {
    flex: 1;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .card .tag {
    font-weight: 450;
    font-size: 11px;
    color: var(--soft);
  }
  .card .state {
    width: 8px;
    height: 8px;
    border-radius: 50%;
    background: var(--good);
  }
  .card .state.cached {
    background: var(--soft);
  }
  .card .state.failed {
    background: var(--bad);
  }
  .card .state.running {
    animation: pulse 1s ease-in-out infinite alternate;
  }
  .card .bar {
    position: absolute;
    left: 0;
    bottom: -1px;
    height: 3px;
    background: var(--good);
    transition: width 0.2s;
  }
  .card .bar.unsure {
    width: 30%;
    animation: slide 1.1s ease-in-out infinite alternate;
  }
  @keyframes pulse {
    to {
      opacity: 0.3;
    }
  }
  @keyframes slide {
    to {
      left: 70%;
    }
  }
  .dot {
    position: absolute;
    width: 24px;
    height: 24px;
    cursor: crosshair;
    touch-action: none;
  }
  .dot.input {
    left: -13px;
  }
  .dot.output {
    right: -13px;
  }
  .dot::after {
    content: '';
    position: absolute;
    inset: 6px;
    border: 2px solid var(--color);
    border-radius: 50%;
    background: var(--surface);
  }
  .dot.full::after,
  .dot.output::after {
    background: var(--color);
  }
  .dot:hover::after {
    inset: 4px;
  }
  /*
   * At a small zoom, illegible parts are not drawn and nothing is clipped: the browser checks every clip with each
   * move, and all nodes are visible at once.
   */
  .far tabd-graph-node {
    content-visibility: visible;
  }
  .far .card .inside,
  .farther .dot,
  .farther .card header > * {
    display: none;
  }
  .far .card header,
  .far .card .title {
    overflow: visible;
  }
  /* A border of one pixel would be invisible. */
  .farther .card {
    box-shadow: none;
    outline: 6px solid color-mix(in srgb, var(--soft) 55%, var(--surface));
    outline-offset: -6px;
  }
  .farther .card header {
    background: color-mix(in srgb, var(--soft) 35%, var(--surface));
  }
  .farther .card.selected {
    outline: 12px solid var(--accent);
  }
  .farther .card.bad {
    outline: 12px solid var(--bad);
  }
  .farther .card.running {
    outline: 12px solid var(--good);
  }
  .card .about {
    position: absolute;
    bottom: 3px;
    left: 12px;
    max-width: calc(100% - 64px);
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
    font-size: 11px;
    color: var(--soft);
  }
  .card .label {
    position: absolute;
    left: 14px;
    max-width: 60%;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
    pointer-events: none;
  }
  .card .label.optional {
    color: var(--soft);
  }
  .card .label.out {
    left: auto;
    right: 14px;
    color: var(--soft);
    font-size: 11.5px;
  }
  .card .wrong {
    color: var(--bad);
  }
  .card .field {
    position: absolute;
    left: 14px;
    right: 12px;
    display: flex;
    align-items: center;
    gap: 4px;
    padding: 0 4px 0 9px;
    border: 1px solid var(--line);
    border-radius: 7px;
    background: var(--sunken);
    cursor: default;
    pointer-events: auto;
  }
  .card .field.wrong {
    border-color: var(--bad);
  }
  .card .field:focus-within {
    border-color: var(--accent);
  }
  .card .field.lines {
    padding: 0;
    margin-top: 0;
  }
  .card .field.linked {
    border-style: dashed;
    background: transparent;
    color: var(--soft);
  }
  .card .name {
    flex: 0 1 auto;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
    color: var(--soft);
    pointer-events: none;
  }
  .card .field input[type='text'],
  .card .field select,
  .card .field textarea {
    flex: 1;
    width: 40px;
    min-height: 0;
    max-height: none;
    height: 100%;
    padding: 0 4px;
    border: 0;
    border-radius: 6px;
    outline: 0;
    background: transparent;
    font-size: 12.5px;
    line-height: 1.4;
    text-align: right;
  }
  .card .field select {
    appearance: none;
    cursor: pointer;
    text-overflow: ellipsis;
    text-align-last: right;
  }
  .card .field option {
    background: var(--surface);
    color: var(--text);
  }
  .card .field select.after {
    flex: 0 0 auto;
    width: auto;
    color: var(--soft);
    font-size: 11px;
    border-left: 1px solid var(--line);
    border-radius: 0;
  }
  .card .field textarea {
    padding: 7px 9px;
    text-align: left;
    resize: none;
  }
  .card .field input[type='checkbox'] {
    width: 13px;
    height: 13px;
    margin: 0 4px 0 auto;
  }
  .card .upload {
    display: grid;
    place-items: center;
    width: 22px;
    height: 22px;
    border-radius: 5px;
    color: var(--soft);
    cursor: pointer;
  }
  .card .upload:hover,
  .card .upload:focus-within {
    color: var(--accent);
  }
  .card .results {
    position: absolute;
    left: 10px;
    right: 10px;
    display: grid;
    gap: 4px;
    border-radius: 7px;
    overflow: hidden;
    background: var(--sunken);
  }
  .card .results.several {
    grid-template-columns: repeat(auto-fit, minmax(64px, 1fr));
  }
  .card .results img,
  .card .results video {
    width: 100%;
    height: 100%;
    min-height: 0;
    object-fit: contain;
  }
  .card .results audio {
    width: 100%;
    align-self: center;
  }
  .card .results a {
    align-self: center;
    justify-self: center;
    max-width: 100%;
    overflow-wrap: anywhere;
    color: var(--accent);
  }
  .card .texts {
    position: absolute;
    left: 10px;
    right: 10px;
    overflow: auto;
    padding: 8px;
    white-space: pre-wrap;
    font-size: 11.5px;
    cursor: text;
    user-select: text;
  }
  .card .problem {
    position: absolute;
    top: calc(100% + 6px);
    left: 0;
    right: 0;
    margin: 0;
    padding: 5px 10px;
    border-radius: 7px;
    background: var(--bad-wash);
    color: var(--bad);
    white-space: pre-line;
    font-size: 12px;
    line-height: 1.4;
  }
`;
