import type { Transfer } from '../bridge/transfer.ts'
import { inBrackets } from '../lib/text.ts'

/** @example formatAmount(transfer) // '1.5 USDC' */
export function formatAmount(transfer: Transfer): string {
  return `${nameAmount(transfer) || 'unknown amount of'} ${nameToken(transfer)}`
}

/** '' where no record says how much. */
export function nameAmount({ amount, amountRaw }: Transfer): string {
  return amount ?? amountRaw?.toString() ?? ''
}

export function nameToken({ token }: Transfer): string {
  const name = token.symbol ?? inBrackets(token.name || token.address)
  return token.id === '' ? name : `${name} #${token.id}`
}

/** What `--json` prints of a transfer; amounts are decimal strings, times UnixMs. */
export function toTransferJson(transfer: Transfer): Record<string, unknown> {
  const { main, zone, token, amountRaw, evidence, ...rest } = transfer
  return {
    ...rest,
    evidence: evidence.map((one) => ({
      ...one,
      amountRaw: one.amountRaw?.toString() ?? null,
      moves: one.moves?.map((move) => ({ ...move, amountRaw: move.amountRaw?.toString() ?? null })) ?? null,
    })),
    amountRaw: amountRaw?.toString() ?? null,
    token,
    mainTxHash: main?.hash ?? null,
    zoneTxHash: zone?.hash ?? null,
    main,
    zone,
  }
}
