import type { EscrowFlow } from '../flows/flow.ts'
import { keepsDeposits, paysOut } from '../flows/flowStore.ts'
import { noteHeld, readEscrowToken } from '../owed/owedStore.ts'
import type { EscrowWatch } from './watch.ts'

type Place = Pick<EscrowFlow, 'escrow' | 'token'>

/** Whether the configuration says that it holds the token: so does its first deposit. */
export function isNamed({ places }: EscrowWatch, { escrow, token }: Place): boolean {
  return places.some(({ address, tokens }) => address === escrow && tokens?.has(token))
}

/** Whether matched deposits came to rest there: movements are forgotten after days, and deposits may be rare. */
export function isVault({ learned, recordedAs }: EscrowWatch, { escrow, token }: Place): boolean {
  return learned.vaultsOf(recordedAs.get(token) ?? token).has(escrow)
}

/**
 * Notes whether a token comes to rest at its escrows: a contract that nobody named as one may only pass it on to where it
 * lies, or burn it. What was there when counting began came to rest. Belongs inside a commit.
 */
export function reviseHeld(watch: EscrowWatch, token: string): void {
  const { bridge, db, places, named } = watch
  const { baseline = null, holdings = null } = readEscrowToken(db, token) ?? {}
  const comesToRest = ({ escrow }: Pick<EscrowFlow, 'escrow'>) =>
    [keepsDeposits, paysOut].some((rests) => rests(db, { escrow, token })) ||
    isVault(watch, { escrow, token })
  const isThere = (baseline ?? holdings ?? 0n) > 0n
  const isSaid = named.has(token) || token === bridge.wrappedNative
  const isHeld = isSaid || isThere || places.some(({ address }) => comesToRest({ escrow: address }))
  noteHeld(db, token, isHeld)
}
