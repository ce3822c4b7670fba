import { css } from 'lit';

/** Styles of the frame around the views: the rail or bottom bar, the header and the notice. */
export const appStyles = css`
  :host {
    display: grid;
    grid-template: 'rail header' 3.25rem 'rail notice' auto 'rail main' minmax(0, 1fr) / 5rem minmax(0, 1fr);
    height: 100dvh;
    background: var(--bg);
  }
  header {
    grid-area: header;
    display: flex;
    align-items: center;
    gap: 0.5rem 1.25rem;
    padding: 0 1.25rem;
    border-bottom: 1px solid var(--line);
  }
  .name {
    display: flex;
    align-items: center;
    gap: 0.5rem;
    font-weight: 680;
    letter-spacing: -0.02em;
    font-size: 1.05rem;
    color: var(--text);
    text-decoration: none;
  }
  .name svg {
    width: 22px;
    height: 22px;
    color: var(--accent);
  }
  .rail {
    grid-area: rail;
    display: flex;
    flex-direction: column;
    align-items: center;
    gap: 0.75rem;
    padding: 0.7rem 0 0.75rem;
    background: var(--sunken);
    border-right: 1px solid var(--line);
    overflow-y: auto;
    scrollbar-width: none;
  }
  .rail .name {
    flex-direction: column;
    gap: 0.1rem;
    font-size: var(--text-sm);
    border-radius: var(--radius-sm);
  }
  .tools {
    display: grid;
    gap: 0.25rem;
    margin-top: auto;
  }
  nav {
    display: grid;
    gap: 0.15rem;
    width: 100%;
  }
  nav a {
    display: grid;
    justify-items: center;
    gap: 0.1rem;
    padding: 0.3rem 0;
    color: var(--soft);
    font-size: 0.7rem;
    font-weight: 500;
    letter-spacing: 0.005em;
    text-decoration: none;
    border-radius: var(--radius-sm);
  }
  nav a:focus-visible {
    outline-offset: -2px;
  }
  nav .mark {
    display: grid;
    place-items: center;
    width: 3rem;
    height: 1.9rem;
    border-radius: var(--radius-full);
    transition: background var(--motion);
  }
  nav a:hover,
  nav a[aria-current] {
    color: var(--text);
  }
  nav a:hover .mark {
    background: color-mix(in srgb, var(--accent-wash) 55%, transparent);
  }
  nav a[aria-current] .mark {
    background: var(--accent-wash);
    color: var(--accent);
  }
  .palette {
    min-width: min(19rem, 30vw);
    justify-content: flex-start;
    min-height: 2.1rem;
    padding: 0 0.5rem 0 0.7rem;
    border-radius: var(--radius-sm);
    background: var(--sunken);
    border-color: transparent;
    color: var(--soft);
    font-size: var(--text-sm);
  }
  .palette svg {
    width: 1rem;
    height: 1rem;
  }
  kbd {
    margin-left: auto;
    padding: 0.05rem 0.4rem;
    border: 1px solid var(--line);
    border-radius: 6px;
    background: var(--surface);
    font: 500 0.7rem var(--mono);
    color: var(--soft);
  }
  .device {
    margin-left: auto;
    display: flex;
    align-items: center;
    gap: 0.5rem;
    min-width: 0;
    font-size: var(--text-sm);
    color: var(--soft);
  }
  .device span {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .device select {
    max-width: 10rem;
    min-height: 2.1rem;
    margin-left: 0.35rem;
    font-size: var(--text-sm);
  }
  .dot {
    flex: none;
    width: 0.5rem;
    height: 0.5rem;
    border-radius: 50%;
    background: var(--soft);
  }
  .dot.ready {
    background: var(--good);
  }
  .dot.failed {
    background: var(--bad);
  }
  .bar {
    grid-area: notice;
    display: flex;
    align-items: center;
    gap: 0.75rem;
    border-radius: 0;
    padding: 0.55rem 1.25rem;
  }
  .bar span {
    flex: 1;
  }
  main {
    grid-area: main;
    min-height: 0;
  }
  main:focus-visible {
    outline: none;
  }
  .skip {
    position: absolute;
    z-index: 2;
    top: 0.5rem;
    left: 1rem;
    padding: 0.35rem 0.9rem;
    border-radius: var(--radius-full);
    background: var(--surface);
    color: var(--text);
    translate: 0 -4rem;
  }
  .skip:focus {
    translate: none;
  }
  @media (max-width: 40rem) {
    :host {
      grid-template: 'header' auto 'notice' auto 'main' minmax(0, 1fr) 'nav' auto / minmax(0, 1fr);
    }
    header {
      padding: 0.5rem 1rem;
    }
    nav {
      grid-area: nav;
      grid-auto-flow: column;
      grid-auto-columns: 1fr;
      border-top: 1px solid var(--line);
      padding: 0.25rem 0.25rem calc(0.25rem + env(safe-area-inset-bottom));
    }
    nav a {
      font-size: clamp(0.6rem, 2.8vw, 0.68rem);
      padding: 0.2rem 0;
      white-space: nowrap;
    }
    nav .mark {
      height: 1.65rem;
    }
  }
`;
