import { canonicalToken } from '../../bridge/movedToken.ts'
import { compareText, type Group, isZoneAction, type Sighting } from '../sightings/sighting.ts'

/**
 * Adds events of the chain to the transfers that have records; what is left over are transfers that have no
 * record yet. Each event is one transfer, and each transfer takes one event, but a batch, whose items may have an
 * event each. What an event does not say fits everything.
 *
 * An event and a record that share the main transaction and nothing else contradicts but the amount or the token are
 * still one when both are the only ones left: the event then says otherwise than the record, and that is no second
 * transfer.
 */
export function joinEventsOfChain(records: readonly Group[], events: readonly Sighting[]): Group[] {
  const slots = records.map((group) => ({ group, added: [] as Sighting[] }))
  const actions = events.filter(isZoneAction)
  const ordered = events
    .filter((event) => !isZoneAction(event))
    .sort((a, b) => knownFields(b) - knownFields(a) || compareText(a.logIndex ?? '', b.logIndex ?? ''))
  const isFree = (slot: Slot) => slot.added.length === 0 || isBatch(slot.group)
  let left = ordered
  for (const fits of [fitsByZone, fitsWhole, fitsByParty]) {
    left = left.filter((event) => {
      const fitting = slots.filter((slot) => isFree(slot) && fits(slot.group, event))
      // Equal transfers are interchangeable; with other content one event must not choose between two.
      const [slot] = fitting
      if (!slot || (fits === fitsByParty && fitting.length > 1)) return true
      slot.added.push(event)
      return false
    })
  }
  left = [...left, ...actions.filter((action) => !joinAction(slots, action))]
  return [
    ...slots.map(({ group, added }) => (added.length === 0 ? group : join(group, added))),
    ...left.map((event) => ({ members: [event], ambiguous: [] })),
  ]
}

/**
 * A zone action is covered by any record of its transaction, whatever amount that names: it says only that the
 * transaction was made. Of several records the one that fits best takes it.
 */
function joinAction(slots: readonly Slot[], action: Sighting): boolean {
  const own = slots.filter(({ group }) =>
    group.members.some((member) => member.zoneHash === action.zoneHash && isSameDirection(member, action)),
  )
  const slot = own.find(({ group }) => fitsContent(group, action)) ?? own[0]
  slot?.added.push(action)
  return slot !== undefined
}

interface Slot {
  readonly group: Group
  readonly added: Sighting[]
}

function join(group: Group, added: readonly Sighting[]): Group {
  return { ...group, members: [...group.members, ...added] }
}

/** The same withdrawal by the zone transaction that the payout's event names. */
function fitsByZone(group: Group, event: Sighting): boolean {
  return (
    event.zoneHash !== null &&
    group.members.some((member) => member.zoneHash === event.zoneHash) &&
    hasFittingMain(group, event) &&
    fitsContent(group, event)
  )
}

function fitsWhole(group: Group, event: Sighting): boolean {
  return sharesMain(group, event) && hasFittingZone(group, event) && fitsContent(group, event)
}

function fitsByParty(group: Group, event: Sighting): boolean {
  return (
    sharesMain(group, event) &&
    hasFittingZone(group, event) &&
    group.members.some((member) => isSameDirection(member, event) && fitsText(member, event, 'targetAddress'))
  )
}

function sharesMain(group: Group, event: Sighting): boolean {
  return event.mainHash !== null && group.members.some((member) => member.mainHash === event.mainHash)
}

function hasFittingMain(group: Group, event: Sighting): boolean {
  const named = group.members.flatMap((member) => member.mainHash ?? [])
  return named.length === 0 || event.mainHash === null || named.includes(event.mainHash)
}

function hasFittingZone(group: Group, event: Sighting): boolean {
  const named = group.members.flatMap((member) => member.zoneHash ?? [])
  return named.length === 0 || event.zoneHash === null || named.includes(event.zoneHash)
}

function fitsContent(group: Group, event: Sighting): boolean {
  const isAnyItem = isBatch(group)
  return group.members.some(
    (member) =>
      isSameDirection(member, event) &&
      fitsText(member, event, 'token') &&
      fitsText(member, event, 'targetAddress') &&
      (isAnyItem || fitsText(member, event, 'tokenId')) &&
      (isAnyItem ||
        member.amountRaw === null ||
        event.amountRaw === null ||
        member.amountRaw === event.amountRaw),
  )
}

function isSameDirection(member: Sighting, event: Sighting): boolean {
  return member.direction === event.direction
}

function fitsText(member: Sighting, event: Sighting, field: 'token' | 'targetAddress' | 'tokenId'): boolean {
  if (member[field] === '' || event[field] === '' || member[field] === event[field]) return true
  return field === 'token' && canonicalToken(member.token) === canonicalToken(event.token)
}

function isBatch(group: Group): boolean {
  return group.members.some((member) => member.crossType === 'BatchWithdraw')
}

function knownFields(event: Sighting): number {
  return [
    event.zoneHash !== null,
    event.amountRaw !== null,
    event.token !== '',
    event.targetAddress !== '',
    event.tokenId !== '',
  ].filter(Boolean).length
}
