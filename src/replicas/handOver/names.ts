import { type AlertHead, findAlert } from '../../alerts/store/alertRows.ts'
import { fingerprintOf } from '../../alerts/fingerprint.ts'
import { readTransferNames, listKeysNamed } from '../../alerts/store/transferNames.ts'
import type { Database } from '../../store/database.ts'
import type { HandedAlert, HandedBreak, HandedTransfer } from './handed.ts'

const mostNamed = 100

/** The key by which this ledger knows a transfer; null where it knows none, or several that could be it. */
export function findKey(db: Database, names: HandedTransfer): string | null {
  const given = [names.id, names.main, names.zone].filter((name) => name !== null)
  const keys = new Set(given.flatMap((name) => listKeysNamed(db, name, mostNamed)))
  const fits = [...keys].filter((key) => isNamed(db, key, names))
  const exact = fits.filter((key) => knowsAll(db, key, names))
  const [key, ...others] = exact.length > 0 ? exact : fits
  return key === undefined || others.length > 0 ? null : key
}

function pair(db: Database, key: string, { id, main, zone }: HandedTransfer) {
  const own = readTransferNames(db, key)
  return [
    { given: id, own: own.transfer_id },
    { given: main, own: own.main_tx },
    { given: zone, own: own.zone_tx },
  ].map((one) => ({ ...one, given: one.given?.toLowerCase() ?? null }))
}

/** Nothing that both know is another one. */
function isNamed(db: Database, key: string, names: HandedTransfer): boolean {
  return pair(db, key, names).every(
    ({ given, own }) => given === null || own.length === 0 || own.includes(given),
  )
}

function knowsAll(db: Database, key: string, names: HandedTransfer): boolean {
  return pair(db, key, names).every(({ given, own }) => given === null || own.includes(given))
}

/** What this ledger calls a break; null where it does not know its transfer. */
export function nameBreak(db: Database, of: HandedBreak): string | null {
  return 'movement' in of ? of.movement : findKey(db, of.transfer)
}

/** The alert that this ledger has of the same; null where it has none, or does not know its transfer. */
export function findHanded(db: Database, given: HandedAlert): AlertHead | null {
  const { fingerprint, rule, kind, subject, transfer } = given
  if (transfer === null) return findAlert(db, fingerprint)
  const key = findKey(db, transfer.names)
  if (key === null) return null
  const own = subject === transfer.key ? key : subject
  const alert = findAlert(db, fingerprintOf(rule, { kind, subject: own }))
  const isOfIt =
    alert !== null &&
    alert.transferKey !== null &&
    readTransferNames(db, alert.transferKey).transfer.includes(key)
  return isOfIt ? alert : null
}
