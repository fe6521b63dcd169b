import * as field from '../fields.ts'

/** The fields of a zone transaction that R12 and R13 have in common. */
export const zoneFields = {
  hash: field.requiredHash,
  blockHeight: field.count,
  blockHash: field.hash,
  blockTime: field.time,
  status: field.status,
  from: field.address,
  actionType: field.name,
  index: field.count,
  value: field.decimal,
  valueRaw: field.rawAmount,
}

/** What hangs on them. */
export const zoneKeys = {
  hash: 'vital!',
  blockHeight: 'judged',
  blockHash: 'ignored',
  blockTime: 'judged',
  status: 'judged!',
  from: 'ignored',
  actionType: 'judged',
  index: 'ignored',
  value: 'judged',
  valueRaw: 'judged',
} as const
