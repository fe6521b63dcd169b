import type { Finding } from '../../bridge/finding.ts'
import type { VerifiedRead, VerifiedSource } from '../../kernel/reads/contractReads.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { toSourceFinding } from './changed.ts'
import { hasAbi, saveAbi } from './logStore.ts'
import { type ContractProgress, readProgress, saveProgress } from './progressStore.ts'

interface Verifying extends Pick<Kernel, 'clock' | 'commit' | 'contractReads' | 'db' | 'log'> {
  readonly address: string
  /** Between two readings. */
  readonly everyMs: number
}

/** How much later a second reading has to agree before a change is reported, ms: replicas lag. */
const confirmMs = 30_000
/** For so long after a change a source that lags by minutes may go on saying what was before. */
const lagMs = 900_000

/** Compares a contract's verified source with what it was; the first reading is what is compared with. */
export async function verifySource(verifying: Verifying, signal: AbortSignal): Promise<void> {
  const { address, clock, commit, db, everyMs } = verifying
  if (readProgress(db, address).verifyAt > clock.now()) return
  const verified = await read(verifying, address, signal)
  const source = verified === 'unread' ? verified : (verified?.source ?? null)
  const behind = await readImplementation(verifying, verified, signal)
  commit({
    apply: (now) => {
      if (verified !== 'unread') saveAbi(db, address, address, verified?.events ?? [])
      if (behind !== null) saveAbi(db, address, behind.address, behind.events)
      const progress = readProgress(db, address)
      // What failed is asked again sooner than what was read, so that an endpoint that is silent is found in time.
      const { change, finding } =
        source === 'unread'
          ? { change: { verifyAt: now + everyMs / 2 }, finding: null }
          : compareSource({ ...progress, address }, source, { now, everyMs })
      saveProgress(db, address, { ...progress, ...change })
      return finding === null ? [] : [finding]
    },
  })
}

/** What cannot be asked, here or at all, holds up nothing else. */
async function read(
  { contractReads, log }: Verifying,
  address: string,
  signal: AbortSignal,
): Promise<VerifiedRead | null | 'unread'> {
  try {
    return await contractReads.verified(address, { priority: 'sweep', signal })
  } catch (error) {
    signal.throwIfAborted()
    log.warn({ contract: address, err: error }, 'the verified source is asked for again later')
    return 'unread'
  }
}

/** A proxy's events are those of the contract behind it: asked for once. */
async function readImplementation(
  verifying: Verifying,
  verified: VerifiedRead | null | 'unread',
  signal: AbortSignal,
): Promise<{ readonly address: string; readonly events: VerifiedRead['events'] } | null> {
  const { address, db } = verifying
  const implementation = verified === null || verified === 'unread' ? '' : verified.source.implementation
  if (implementation === '' || implementation === address || hasAbi(db, address, implementation)) return null
  const behind = await read(verifying, implementation, signal)
  return behind === null || behind === 'unread' ? null : { address: implementation, events: behind.events }
}

/** A pure function of what was known and what was read; null was an empty answer, which says nothing. */
export function compareSource(
  known: Pick<ContractProgress, 'verified' | 'candidate' | 'announced' | 'earlier'> & {
    readonly address: string
  },
  source: VerifiedSource | null,
  { now, everyMs }: { readonly now: UnixMs; readonly everyMs: number },
): { change: Partial<ContractProgress>; finding: Finding | null } {
  const { address, verified, candidate, announced, earlier } = known
  const later = { verifyAt: now + everyMs }
  if (source === null) return { change: later, finding: null }
  const merged = verified === null ? source : fillFrom(source, verified)
  const differs = verified === null ? [] : listDifferences(verified, merged)
  const [field] = differs
  if (verified === null || field === undefined) {
    // What was empty and is filled now is no change.
    const known = { ...later, verified: merged, candidate: null }
    return { change: { ...known, ...withoutReached(announced, merged) }, finding: null }
  }
  if (earlier !== null && now - earlier.until < lagMs && isSame(earlier.source, merged))
    return { change: { ...later, candidate: null }, finding: null }
  if (candidate === null || !isSame(candidate, merged)) {
    return { change: { verifyAt: now + confirmMs, candidate: merged }, finding: null }
  }
  const change = {
    ...later,
    verified: merged,
    candidate: null,
    earlier: { source: verified, until: now },
  }
  // The log of the upgrade has reported it: once, so that what is put back without a log is told.
  if (differs.includes('implementation') && announced.includes(merged.implementation)) {
    return { change: { ...change, ...withoutReached(announced, merged) }, finding: null }
  }
  const told = {
    differs: names[field],
    before: verified[field] ?? '',
    after: merged[field] ?? '',
    digest: `${merged.code}:${merged.abi}:${merged.implementation}`,
  }
  const finding = toSourceFinding(address, told, now)
  const { subject, since } = finding
  return {
    change: { ...change, earlier: { ...change.earlier, told: { subject, since } } },
    finding,
  }
}

/** Implementations that were told of and are not shown yet: those up to the present one are done with. */
function withoutReached(
  announced: readonly string[],
  { implementation }: VerifiedSource,
): Pick<Partial<ContractProgress>, 'announced'> {
  const at = announced.lastIndexOf(implementation)
  return at === -1 ? {} : { announced: announced.slice(at + 1) }
}

const names: Readonly<Record<keyof VerifiedSource, string>> = {
  implementation: 'implementation',
  code: 'source',
  abi: 'ABI',
  compiler: 'compiler',
  name: 'contract name',
}

const fields = ['implementation', 'code', 'abi', 'compiler', 'name'] as const

function isSame(a: VerifiedSource, b: VerifiedSource): boolean {
  return fields.every((field) => a[field] === b[field])
}

function listDifferences(before: VerifiedSource, after: VerifiedSource): (keyof VerifiedSource)[] {
  return fields.filter((field) => Boolean(before[field]) && before[field] !== after[field])
}

/** An empty field says nothing: what was known before holds. */
function fillFrom(source: VerifiedSource, before: VerifiedSource): Required<VerifiedSource> {
  return {
    implementation: source.implementation || before.implementation,
    code: (source.code || before.code) ?? '',
    abi: (source.abi || before.abi) ?? '',
    compiler: source.compiler || before.compiler,
    name: source.name || before.name,
  }
}
