import type { Observation } from '../../bridge/observation.ts'
import type { Finding } from '../../bridge/finding.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { kinds } from '../../checks/index.ts'
import type { EvidenceReading } from '../../ledger/evidence/evidence.ts'
import type { TestWorld } from './createTestWorld.ts'
import { toInstant } from '../../kernel/moment.ts'
import type { FindingText, TestInput } from './testSchema.ts'
import { findToken } from './testTokens.ts'
import { toBaseUnits, toReading } from './toReading.ts'

/** Puts one input of a test into its world, as the pollers would. */
export function applyInput(world: TestWorld, input: TestInput): void {
  const { said, clock } = world
  const now = clock.now()
  if (input.transfer !== undefined) return readRecord(world, input.transfer, input)
  if (input.evidence) return readEvidence(world, input.evidence)
  if (input.head) {
    const { chain, height, every } = input.head
    said.heads.set(chain, { height, from: now, everyMs: every })
  }
  if (input.source) {
    const { name, state, reason } = input.source
    said.sources.set(name, { state, reason, since: now })
  }
  for (const [token, amount] of Object.entries(input.balances ?? {})) {
    const listed = findToken(world.file, token)
    const balance = toBaseUnits(amount, listed?.decimals ?? 0)
    if (balance !== null) said.balances.set((listed?.address ?? token).toLowerCase(), balance)
  }
  if (input.facts) said.facts = { ...said.facts, ...input.facts }
  if (input.raise) raise(world, input.raise)
  if (input.clear !== undefined) said.raised.delete(input.clear)
}

function readRecord(world: TestWorld, name: string, { record = {} }: TestInput): void {
  const { said } = world
  const before = said.readings.get(name) ?? null
  const reading = toReading(world.file, { name, text: record, before, line: lineOf(world) })
  said.readings.set(name, reading)
  world.commit({ answers: [[reading.observation]] })
  noteKeys(world, reading.observation)
}

/** Which transfer of the ledger a record belongs to, and those that share its transactions: several may be one. */
function noteKeys({ said, ledger }: TestWorld, read: Observation): void {
  const shares = (one: Observation) =>
    (one.zoneHash !== null && one.zoneHash === read.zoneHash) ||
    (one.mainHash !== null && one.mainHash === read.mainHash)
  for (const { name, observation } of said.readings.values()) {
    if (observation !== read && !shares(observation)) continue
    const hash = observation.zoneHash ?? observation.mainHash
    const found = hash === null ? [] : ledger.listTransfers({ hash })
    const own =
      found.find(
        (one) => one.targetAddress === observation.targetAddress && one.amountRaw === observation.amountRaw,
      ) ?? found[0]
    if (own) said.keys.set(name, own.key)
  }
}

function readEvidence(world: TestWorld, evidence: NonNullable<TestInput['evidence']>): void {
  const { said, clock, file } = world
  const record = said.readings.get(evidence.transfer)?.observation
  const hash = evidence.leg === 'main' ? record?.mainHash : record?.zoneHash
  if (!record || !hash) throw new Error(`${evidence.transfer} has no ${evidence.leg} leg at this time`)
  const reading: EvidenceReading = {
    chain: evidence.leg,
    hash,
    source: evidence.source,
    requestedAt: clock.now(),
    status: evidence.status,
    errorMessage: evidence.errorMessage,
    amountRaw: toUnits(evidence.amountRaw),
    amount: evidence.amount,
    moves:
      evidence.moves?.map((move) => ({
        ...move,
        token: move.token === '' ? '' : (findToken(file, move.token)?.address ?? move.token).toLowerCase(),
        from: move.from.toLowerCase(),
        to: move.to.toLowerCase(),
        amountRaw:
          toUnits(move.amountRaw) ?? toBaseUnits(move.amount, findToken(file, move.token)?.decimals ?? null),
      })) ?? null,
    ...(evidence.reads !== undefined && { reads: evidence.reads }),
  }
  world.commit({ evidence: [reading] })
}

function toUnits(text: string | null): bigint | null {
  return text === null ? null : BigInt(text)
}

function raise(world: TestWorld, text: FindingText): void {
  const finding = toFinding(world, text)
  if (kinds.find(finding.kind)?.nature === 'event') world.commit({ apply: () => [finding] })
  else world.said.raised.set(finding.subject, finding)
}

function toFinding(world: TestWorld, text: FindingText): Finding {
  const key = text.transfer === undefined ? undefined : world.said.keys.get(text.transfer)
  const transfer = key === undefined ? null : world.ledger.getTransfer(key)
  return {
    kind: text.kind,
    subject: transfer?.key ?? text.subject,
    title: text.title ?? text.subject,
    transfer,
    facts: text.facts,
    labels: text.labels,
    evidence: [],
    since: toInstant(text.since, lineOf(world)),
  }
}

function lineOf({ start, clock }: Pick<TestWorld, 'start' | 'clock'>): { start: UnixMs; now: UnixMs } {
  return { start, now: clock.now() }
}
