/** Names of Fetch types that core uses and that Node's own declarations lack. */
type HeadersInit = ConstructorParameters<typeof Headers>[0] & {};
type BufferSource = NodeJS.ArrayBufferView | ArrayBuffer;
interface RequestInit {
  cache?: 'default' | 'no-store' | 'reload' | 'no-cache' | 'force-cache' | 'only-if-cached';
}
