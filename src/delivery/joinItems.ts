import { alertIdOf } from '../alerts/fingerprint.ts'
import type { AlertRow } from '../alerts/store/alertRows.ts'
import type { MessageItem } from './channels/message.ts'
import { nameAlert } from './wording.ts'

/** An item in words, with the alert of the same thing that says as much or more. */
export interface Worded {
  readonly item: MessageItem
  readonly above: Pick<AlertRow, 'fingerprint' | 'rule'> | null
}

/** What joins another item of the same message is shown within it. The case that is named beside it says of what it is an update. */
export function joinItems(worded: readonly Worded[], isOfCase: boolean): MessageItem[] {
  // Of one alert its first item.
  const byId = new Map(worded.toReversed().map((one) => [one.item.alertId, one]))
  const places = Map.groupBy(worded, (one) => placeOf(one, byId))
  return [...places].map(([{ item, above }, inside]) => ({
    ...item,
    summary:
      item.status === 'update' && above && !isOfCase
        ? `Update of ${nameAlert(above)}: ${item.summary}`
        : item.summary,
    fields:
      item.status === 'update' && above && isOfCase
        ? [
            ...item.fields,
            { label: 'Update of', value: nameAlert(above), href: null, place: 'detail' as const },
          ]
        : item.fields,
    joined: inside.filter((one) => one.item !== item).map((one) => one.item),
  }))
}

/**
 * Within which item one is shown: what it joins may be inside another itself. Two that were sent may each say as much as the
 * other, a movement and its payout: then the one whose id comes first holds both.
 */
function placeOf(one: Worded, byId: ReadonlyMap<string, Worded>): Worded {
  const path: Worded[] = []
  let place: Worded | undefined = one
  while (place !== undefined && !path.includes(place)) {
    path.push(place)
    const { above, item }: Worded = place
    place = above && item.status === 'update' ? byId.get(alertIdOf(above.fingerprint)) : undefined
  }
  const ring = place === undefined ? path.slice(-1) : path.slice(path.indexOf(place))
  return ring.reduce((first, other) => (other.item.alertId < first.item.alertId ? other : first))
}
