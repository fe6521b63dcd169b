import { isAddress, textOfHash, toHashCell } from '../../store/hash.ts'

/** Stands for the sender where he sends to himself, which most do: he is found as the recipient. */
const same = new Uint8Array(0)

/** As a row keeps who sent a transfer. */
export function toSenderCell(source: string, target: string): Uint8Array | string {
  return source !== '' && source === target ? same : toHashCell(source)
}

/** Whether a cell says that the sender is the recipient. */
export function isRecipient(cell: unknown): boolean {
  return cell instanceof Uint8Array && cell.length === 0
}

/** In SQL: whether a transfer was sent by the address that a numbered parameter gives, or is for it. */
export function isParty(given: string): string {
  return `(${isAddress('source_address', given)} AND source_address <> x'' OR ${isAddress('target_address', given)})`
}

/**
 * In SQL: the transfers that the address of the first parameter sent, in parts that are each found by an index in the order of
 * their times; `part` makes of what selects the rows of one a query.
 */
export function ofSender(part: (rows: string) => string): string {
  const rows = (column: string, form: string, other: string) =>
    part(
      `FROM transfers INDEXED BY transfers_${column} WHERE ${column}_address = ${form} AND source_address ${other} x''`,
    )
  const forms = ['?1', 'unhex(substr(?1, 3))']
  return [
    ...forms.map((form) => rows('source', form, '<>')),
    ...forms.map((form) => rows('target', form, '=')),
  ].join(' UNION ALL ')
}

/** In SQL, who sent a transfer, as text. */
export const senderText = textOfHash("iif(source_address = x'', target_address, source_address)")
