import type { Query } from './connect.ts'
import type { Identity } from './lease.ts'

/** Placeholder signature; see below. */
export async function readUnshared(
  _run: Identity & { readonly data: { readonly query: Query } },
  _folder: string,
): Promise<void> {}
