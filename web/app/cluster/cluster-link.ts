import { html, LitElement, nothing } from 'lit';
import { clusterStrings as strings } from '../strings/cluster.ts';
import { controls } from '../ui/styles/controls.ts';
import { ClusterClient } from './cluster-client.ts';

/** A link to the view of the cluster. Renders nothing where no door of a cluster serves the page. */
export class ClusterLink extends LitElement {
  static override properties = { isShown: { state: true } };
  declare isShown: boolean;
  static override styles = [controls];

  override connectedCallback() {
    super.connectedCallback();
    void new ClusterClient().report().then((report) => {
      this.isShown = report !== 'absent';
    });
  }

  override render() {
    if (!this.isShown) return nothing;
    return html`<h2>${strings.heading}</h2>
      <p><a href="#/cluster">${strings.link}</a></p>`;
  }
}

customElements.define('tabd-cluster-link', ClusterLink);
