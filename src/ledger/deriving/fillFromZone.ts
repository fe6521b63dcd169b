import { formatUnits } from '../../bridge/amount.ts'
import { valuesOf } from '../../meaning/compareAction.ts'
import { establishedNames } from '../../meaning/learnedActions.ts'
import { type LearnedMoney, namesZoneAmounts } from '../../meaning/learnedMoney.ts'
import { isBatch, type LegEvidence, type Transfer } from '../../bridge/transfer.ts'
import { isOfNode } from '../../meaning/proveOrigin.ts'
import { type ActionItem, readAction } from '../../meaning/zoneAction.ts'

/**
 * A record that names no amount, or no token id, with what the zone's own transaction says of it instead; as it is where
 * that says nothing, says it of several, or is not known to mean it.
 */
export function fillFromZone(transfer: Transfer, learned: LearnedMoney): Transfer {
  const { zone, evidence, token, isListed } = transfer
  const lacksAmount = transfer.amountRaw === null && transfer.amount === null
  const lacksId = token.id === '' && /1155|721/.test(token.type)
  if (!isListed || isBatch(transfer) || !(lacksAmount || lacksId)) return transfer
  const by = evidence.find(
    (one) =>
      one.chain === 'zone' &&
      one.hash === zone?.hash &&
      one.status === 'success' &&
      !one.paidIn &&
      !isOfNode(one),
  )
  const readings = by?.action ? readAction(by.action) : []
  if (!by || readings.slice(0, -1).some((items) => items.length > 1)) return transfer
  const id = lacksId ? readId(transfer, readings.at(-1)?.[0], learned) : null
  return {
    ...transfer,
    ...(lacksAmount && readAmount(transfer, by, learned)),
    ...(id !== null && { token: { ...token, id } }),
  }
}

function readAmount(
  { direction, token: { decimals } }: Transfer,
  { amountRaw = null, amount = null }: LegEvidence,
  learned: LearnedMoney,
): Pick<Transfer, 'amountRaw' | 'amount'> | null {
  if (!namesZoneAmounts(direction, learned) || amountRaw === null || amountRaw === 0n) return null
  const units = amount ?? (decimals === null ? null : formatUnits(amountRaw, decimals))
  return { amountRaw, amount: units }
}

function readId(transfer: Transfer, item: ActionItem | undefined, learned: LearnedMoney): string | null {
  const names = establishedNames(learned, transfer, 'tokenId')
  const [id, ...others] = new Set(item ? valuesOf(item, names) : [])
  return id === undefined || others.length > 0 ? null : id
}
