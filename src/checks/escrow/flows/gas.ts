const mark = 'gas:'

/**
 * The name of what an escrow paid for a transaction that it sent itself, as a hot wallet does: gas. It is a movement beside
 * what that transaction moved, because no transfer explains it.
 */
export function gasOf(hash: string): string {
  return `${mark}${hash}`
}

export function isGas({ hash }: { readonly hash: string }): boolean {
  return hash.startsWith(mark)
}

/** The transaction that a movement is of. */
export function transactionOf({ hash }: { readonly hash: string }): string {
  return isGas({ hash }) ? hash.slice(mark.length) : hash
}

/** In SQL: rows of gas, and all others. Hashes are bytes. */
export const isGasRow = `(typeof(hash) = 'text' AND hash LIKE '${mark}%')`
export const isNoGasRow = `NOT ${isGasRow}`
