/*
 * The ring detector with three processes and one channel for each ordered pair and kind of message, of which
 * only the fill matters. It must stay, step for step, the model in src/ring.rs.
 *
 *   -DB=n         how many messages a channel holds (1 to 15; 1 unless given)
 *   -DBLOCK       a send into a full channel waits; otherwise it happens and the message is lost
 *   -DANY_TIME    process 1 may crash at any time; otherwise it has crashed before the first step
 *   -DWAVERS=i    look for a run in which process i, 0 or 2, suspects process 1 again and again, and again and
 *                 again does not; not together with ANY_TIME
 *   -DTRANSLATED  the same by Spin's own translation of the formula
 *
 * Every step is one d_step in the one loop of its process, so that Spin stores no state in between. All
 * variables are bit fields, so that a process with its bookkeeping fits in one word of the state vector. A
 * process that has crashed from the start takes no step and sends nothing, so neither it nor a channel that
 * stays empty because of it is declared: the vector is smaller, the number of states is the same.
 */

#ifndef B
#define B 1
#endif

#if B < 2
#define WIDTH 1
#elif B < 4
#define WIDTH 2
#elif B < 8
#define WIDTH 3
#else
#define WIDTH 4
#endif

/* query_ij, reply_ij: how many messages of the kind are on their way from i to j. */
unsigned query_01 : WIDTH;
unsigned query_02 : WIDTH;
unsigned query_20 : WIDTH;
unsigned query_21 : WIDTH;
unsigned reply_02 : WIDTH;
unsigned reply_20 : WIDTH;
#ifdef ANY_TIME
unsigned reply_01 : WIDTH;
unsigned reply_21 : WIDTH;
unsigned query_10 : WIDTH;
unsigned query_12 : WIDTH;
unsigned reply_10 : WIDTH;
unsigned reply_12 : WIDTH;
#endif

#ifdef BLOCK
#define MAY_SEND(channel) (channel < B)
#define SEND(channel) channel++
#else
#define MAY_SEND(channel) true
#define SEND(channel) if :: channel < B -> channel++ :: else fi
#endif

/*
 * What a process has in hand, and where it stands with it. Empty-handed it still remembers the kind of the
 * message that it took last.
 */
#define EMPTY 0
#define EMPTY_QUERY 1
#define EMPTY_REPLY 2
#define QUERY 3
#define REPLY 4
#define REPLIED 5
#define STOPPING 6
#define CRASHED 7

#define SUCCESSOR(i) ((i) == 2 -> 0 : (i) + 1)
#define PREDECESSOR(i) ((i) == 0 -> 2 : (i) - 1)

#define SENDER_SUSPECTED ((suspects >> from) & 1)
/* After a reply to a process that is not suspected, a process goes on as if empty-handed. */
#define RESUMES (hand == REPLIED && !SENDER_SUSPECTED)
#define FREE (hand <= REPLY || RESUMES)
#define EMPTY_HANDED (hand <= EMPTY_REPLY || RESUMES)
#define GO_ON hand = (hand == REPLIED -> EMPTY_QUERY : hand)

#define VARIABLES(me) \
	unsigned hand : 3 = EMPTY; \
	unsigned target : 2 = SUCCESSOR(me); \
	bit sent; \
	bit received; \
	unsigned suspects : 3; \
	unsigned from : 2

/* A query to the target, if that is process `to`. */
#define ASK(to, channel) \
	:: d_step { FREE && !sent && target == to && MAY_SEND(channel) -> \
		SEND(channel); GO_ON; sent = 1; received = 0 }

#define SUSPECT \
	:: d_step { FREE && sent && !received -> \
		GO_ON; sent = 0; suspects = suspects | (1 << target); target = SUCCESSOR(target) }

/* A message out of its channel into the hand. */
#define TAKE(sender, kind, channel) \
	:: d_step { channel > 0 && EMPTY_HANDED -> channel--; from = sender; hand = kind }

/* The answer to the query in hand, if that came from process `to`. */
#define ANSWER(to, channel) \
	:: d_step { hand == QUERY && from == to && MAY_SEND(channel) -> SEND(channel); hand = REPLIED }

/* The sender of the message in hand becomes the target, and all else is as after a good answer. */
#define WATCH_SENDER hand = EMPTY; target = from; sent = 0; received = 1; from = 0

/* The end of a suspicion; a suspected predecessor of the target calls for a second announcement. */
#define TRUST \
	:: d_step { (hand == REPLY || hand == REPLIED) && SENDER_SUSPECTED -> \
		suspects = suspects & ~(1 << from); \
		if \
		:: (suspects >> PREDECESSOR(target)) & 1 -> \
			hand = STOPPING; sent = 0; received = 0; suspects = 0 \
		:: else -> WATCH_SENDER \
		fi } \
	:: d_step { hand == STOPPING -> WATCH_SENDER }

/* A reply from a process that is not suspected: it counts if it comes from the target. */
#define HANDLE \
	:: d_step { hand == REPLY && !SENDER_SUSPECTED -> \
		hand = EMPTY_REPLY; \
		if :: from == target -> sent = 0; received = 1 :: else fi }

active proctype process_0() {
	VARIABLES(0);
	do
	ASK(1, query_01)
	ASK(2, query_02)
	SUSPECT
	TAKE(2, QUERY, query_20)
	TAKE(2, REPLY, reply_20)
	ANSWER(2, reply_02)
#ifdef ANY_TIME
	TAKE(1, QUERY, query_10)
	TAKE(1, REPLY, reply_10)
	ANSWER(1, reply_01)
#endif
	TRUST
	HANDLE
	od
}

#ifdef ANY_TIME
active proctype process_1() {
	VARIABLES(1);
	do
	ASK(2, query_12)
	ASK(0, query_10)
	SUSPECT
	TAKE(2, QUERY, query_21)
	TAKE(2, REPLY, reply_21)
	ANSWER(2, reply_12)
	TAKE(0, QUERY, query_01)
	TAKE(0, REPLY, reply_01)
	ANSWER(0, reply_10)
	TRUST
	HANDLE
	:: d_step { FREE -> hand = CRASHED; target = 0; sent = 0; received = 0; suspects = 0; from = 0 }
	od
}
#endif

active proctype process_2() {
	VARIABLES(2);
	do
	ASK(0, query_20)
	ASK(1, query_21)
	SUSPECT
	TAKE(0, QUERY, query_02)
	TAKE(0, REPLY, reply_02)
	ANSWER(0, reply_20)
#ifdef ANY_TIME
	TAKE(1, QUERY, query_12)
	TAKE(1, REPLY, reply_12)
	ANSWER(1, reply_21)
#endif
	TRUST
	HANDLE
	od
}

#ifdef WAVERS
#if WAVERS == 0
#define SUSPECTS ((process_0[0]:suspects >> 1) & 1)
#else
#define SUSPECTS ((process_2[1]:suspects >> 1) & 1)
#endif

#ifdef TRANSLATED
ltl settles { [] <> SUSPECTS -> <> [] SUSPECTS }
#else
/*
 * G F s & G F !s, the opposite of G F s -> F G s, with s as it is where a step begins. By hand it can be
 * deterministic, which Spin's translation is not: that one has three times the states of the product, and
 * searches most of them twice.
 */
never {
trusting:
	if
	:: SUSPECTS -> goto suspecting
	:: !SUSPECTS -> goto trusting
	fi;
suspecting:
	if
	:: SUSPECTS -> goto suspecting
	:: !SUSPECTS -> goto accept_wavering
	fi;
accept_wavering:
	if
	:: SUSPECTS -> goto suspecting
	:: !SUSPECTS -> goto trusting
	fi
}
#endif
#endif
