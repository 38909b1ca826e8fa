import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { User } from '../../store/rows.js';
import type { World } from '../../world/world.js';

/** Whoever looks at the pages: as a user of the twin, or as nobody yet. */
export type Visitor = {
  user: User | undefined;
  /** What the browser keeps: a session and the chosen user, signed. */
  cookie: string;
  /** What every form must bring back. It belongs to the cookie: after another choice, older forms are void. */
  formToken: string;
  /** Whether the browser has yet to be told its cookie. */
  isNew: boolean;
};

export function readVisitor(world: World, headers: IncomingHttpHeaders): Visitor {
  const given = readCookie(headers.cookie ?? '', cookieName(world));
  const [session = '', userId = ''] = given.split('.');
  if (given === '' || !isSame(given, sign(world, session, Number(userId)))) return newVisitor(world);
  return {
    user: listPeople(world).find(({ id }) => id === Number(userId)),
    cookie: given,
    formToken: tokenOf(world, given),
    isNew: false,
  };
}

function newVisitor(world: World): Visitor {
  const cookie = sign(world, randomBytes(16).toString('hex'), 0);
  return { user: undefined, cookie, formToken: tokenOf(world, cookie), isNew: true };
}

/** Those whom a visitor can be: people, no bots and no organisations. */
export function listPeople(world: World): User[] {
  return world.store.users.filter((user) => user.type === 'User');
}

export function setCookie(world: World, cookie: string): string {
  return `${cookieName(world)}=${cookie}; Path=/; HttpOnly; SameSite=Strict`;
}

/** The same visitor, now as this user. */
export function actAs(world: World, visitor: Visitor, userId: number): string {
  return sign(world, visitor.cookie.split('.')[0] ?? '', userId);
}

export const isFormToken = (visitor: Visitor, given: string): boolean => isSame(given, visitor.formToken);

/** Browsers share cookies between the ports of a host: two twins must not overwrite each other's. */
const cookieName = (world: World) => `twin_visitor_${new URL(world.url).port}`;

function sign(world: World, session: string, userId: number): string {
  return `${session}.${userId}.${hmac(world, `visitor ${session} ${userId}`)}`;
}

const tokenOf = (world: World, cookie: string) => hmac(world, `form ${cookie}`);

function hmac(world: World, text: string): string {
  return createHmac('sha256', world.secret).update(text).digest('hex');
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function readCookie(header: string, name: string): string {
  const found = header.split(';').find((part) => part.trim().startsWith(`${name}=`));
  return found?.trim().slice(name.length + 1) ?? '';
}
