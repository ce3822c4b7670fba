import { css } from 'lit';

/** Styles of the list of conversations. */
export const chatListStyles = css`
  :host {
    display: flex;
    flex-direction: column;
    height: 100%;
    min-height: 0;
  }
  .search {
    padding: 0 0.75rem 0.5rem;
  }
  .list {
    flex: 1;
    min-height: 0;
    overflow-y: auto;
    padding: 0.1rem 0.5rem 0.5rem;
  }
  li {
    position: relative;
    display: flex;
    align-items: center;
    border-radius: 10px;
  }
  li:hover,
  li:focus-within {
    background: var(--accent-wash);
  }
  li.current {
    background: var(--surface);
    box-shadow: 0 0 0 1px var(--line);
  }
  a {
    flex: 1;
    min-width: 0;
    padding: 0.45rem 0.6rem;
    color: var(--text);
    text-decoration: none;
    font-size: 0.9rem;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
    border-radius: 10px;
  }
  .busy {
    display: inline-block;
    width: 0.5rem;
    height: 0.5rem;
    border-radius: 50%;
    background: var(--accent);
    margin-right: 0.4rem;
  }
  h3 {
    margin: 0.6rem 0.6rem 0.2rem;
    font-size: var(--text-xs);
    font-weight: 500;
  }
  .row-menu {
    padding-right: 0.15rem;
  }
  @media (hover: hover) {
    li:not(:hover, :focus-within, .current) .row-menu,
    .folder:not(:hover, :focus-within) .row-menu {
      position: absolute;
      opacity: 0;
      right: 0;
      pointer-events: none;
    }
  }
  p {
    padding: 0.5rem 0.75rem;
    margin: 0;
  }
  footer {
    display: flex;
    border-top: 1px solid var(--line);
    padding: 0.4rem 0.5rem;
  }
  .folder {
    position: relative;
    display: flex;
    align-items: center;
    margin-top: 0.3rem;
    border-radius: 10px;
  }
  .folder:hover,
  .folder:focus-within {
    background: var(--accent-wash);
  }
  .folder h3 {
    flex: 1;
    min-width: 0;
    margin: 0;
  }
  .folder button.plain {
    width: 100%;
    justify-content: flex-start;
    min-height: 2.2rem;
    border-radius: 10px;
    font-size: 0.9rem;
    color: var(--text);
  }
  .folder button.plain:hover {
    background: none;
  }
  .folder button svg {
    flex: none;
    width: 1.05rem;
    height: 1.05rem;
    color: var(--soft);
  }
  .folder button[aria-expanded='true'] svg {
    color: var(--accent);
  }
  .folder button > span:first-of-type {
    overflow: hidden;
    text-overflow: ellipsis;
  }
  .folder .num {
    color: var(--soft);
    font-size: var(--text-xs);
    font-weight: 400;
  }
  ul.inner {
    margin-left: 1.1rem;
    padding-left: 0.3rem;
    border-left: 1px solid var(--line);
  }
`;
