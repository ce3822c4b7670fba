export default function buildSite(): Promise<void>;
