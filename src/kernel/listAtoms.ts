import type { Observation, ZoneTransaction } from '../bridge/observation.ts'
import type { EvidenceReading } from '../ledger/evidence/evidence.ts'
import { hashCount, weakContent } from '../ledger/sightings/sighting.ts'
import type { ReadingResult } from './reads/reads.ts'

/** What of a reading must be committed at once: all that is tied by a name or may be joined by amount, with what was said of it. */
export interface Atom {
  /** Each with the place of its answer. */
  readonly records: readonly { readonly answer: number; readonly record: Observation }[]
  readonly evidence: readonly EvidenceReading[]
  readonly zoneTransactions: readonly ZoneTransaction[]
}

interface Growing {
  readonly records: { readonly answer: number; readonly record: Observation }[]
  readonly evidence: EvidenceReading[]
  readonly zoneTransactions: ZoneTransaction[]
  readonly names: string[]
}

/**
 * Takes a reading apart, in its order. Records that share no name, neither id nor hash, are told apart without each other, but for
 * halves that fit: a payout that names no origin is not accused while the one withdrawal that it fits may be its own. What a second
 * source said belongs to the records of that hash.
 */
export function listAtoms(
  reading: Pick<ReadingResult, 'answers' | 'evidence' | 'zoneTransactions'>,
): readonly Atom[] {
  const byName = new Map<string, Growing>()
  const atoms = new Set<Growing>()
  const find = (names: readonly string[]): Growing => {
    const [first, ...others] = new Set(names.flatMap((name) => byName.get(name) ?? []))
    const atom = first ?? { records: [], evidence: [], zoneTransactions: [], names: [] }
    atoms.add(atom)
    for (const other of others) {
      atom.records.push(...other.records)
      atom.evidence.push(...other.evidence)
      atom.zoneTransactions.push(...other.zoneTransactions)
      atoms.delete(other)
    }
    const added = [...names, ...others.flatMap((other) => other.names)]
    atom.names.push(...added)
    for (const name of added) byName.set(name, atom)
    return atom
  }
  for (const [answer, records] of (reading.answers ?? []).entries())
    for (const record of records) find(namesOf(record)).records.push({ answer, record })
  for (const one of reading.evidence ?? []) find([one.hash]).evidence.push(one)
  for (const one of reading.zoneTransactions ?? []) find([one.hash]).zoneTransactions.push(one)
  return [...atoms]
}

function namesOf(record: Observation): string[] {
  const { id, mainHash, zoneHash } = record
  const half = hashCount(record) === 2 ? null : `half ${weakContent(record)}`
  return [id === null ? null : `id ${id}`, mainHash, zoneHash, half].filter((name) => name !== null)
}

/** The same as a reading, each answer by itself. */
export function joinAtoms(
  atoms: readonly Atom[],
): Pick<ReadingResult, 'answers' | 'evidence' | 'zoneTransactions'> {
  const records = Map.groupBy(
    atoms.flatMap((atom) => atom.records),
    ({ answer }) => answer,
  )
  return {
    answers: [...records].toSorted(([a], [b]) => a - b).map(([, of]) => of.map(({ record }) => record)),
    evidence: atoms.flatMap(({ evidence }) => evidence),
    zoneTransactions: atoms.flatMap(({ zoneTransactions }) => zoneTransactions),
  }
}
