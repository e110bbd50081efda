/* The default Spades deal with random legal play, written by hand for one core: the
   practical limit that `spades bench` measures the engine against. It keeps what a
   Game keeps (plays in order, voids, scores) and no more.
   Usage: limit DEALS; prints decisions per second. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SPADES (0x1FFFULL << 39)

typedef struct {
    uint64_t hand[4], played[4];
    int8_t trick[4], bid[4], won[4];
    uint8_t voids[4];
    int turn, leader, tricks, on_table, broken, dealer;
    int score[2], bags[2];
    int8_t plays[52];
} Game;

static uint64_t state = 88172645463325252ULL;

static inline uint64_t next_random(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static inline uint64_t below(uint64_t n) { return ((next_random() >> 32) * n) >> 32; }

static void deal(Game *g) {
    uint8_t deck[52];
    for (int i = 0; i < 52; i++) deck[i] = i;
    for (int i = 51; i > 0; i--) {
        int j = below(i + 1);
        uint8_t card = deck[i];
        deck[i] = deck[j];
        deck[j] = card;
    }
    for (int seat = 0; seat < 4; seat++) {
        uint64_t hand = 0;
        for (int k = 0; k < 13; k++) hand |= 1ULL << deck[seat * 13 + k];
        g->hand[seat] = hand;
        g->played[seat] = 0;
        g->bid[seat] = -1;
        g->won[seat] = 0;
        g->voids[seat] = 0;
    }
    g->tricks = g->on_table = g->broken = 0;
    g->leader = g->turn = (g->dealer + 1) & 3;
}

static void score(Game *g) {
    for (int team = 0; team < 2; team++) {
        int points = 0, contract = 0, tricks = 0, bags = 0;
        for (int seat = team; seat < 4; seat += 2) {
            if (g->bid[seat]) {
                contract += g->bid[seat];
                tricks += g->won[seat];
            } else {
                points += g->won[seat] ? -100 : 100;
                bags += g->won[seat];
            }
        }
        if (tricks >= contract) {
            points += 10 * contract;
            bags += tricks - contract;
        } else {
            points -= 10 * contract;
        }
        points += bags;
        g->bags[team] += bags;
        while (g->bags[team] >= 10) {
            g->bags[team] -= 10;
            points -= 100;
        }
        g->score[team] += points;
    }
    g->dealer = (g->dealer + 1) & 3;
    if (g->score[0] >= 500 || g->score[1] >= 500 || g->score[0] <= -200 ||
        g->score[1] <= -200)
        g->score[0] = g->score[1] = g->bags[0] = g->bags[1] = 0;
}

static void play(Game *g) {
    int seat = g->turn;
    uint64_t hand = g->hand[seat], legal = hand;
    if (g->on_table == 0) {
        if (!g->broken && (hand & ~SPADES)) legal = hand & ~SPADES;
    } else {
        uint64_t follow = hand & (0x1FFFULL << (13 * (g->trick[g->leader] / 13)));
        if (follow) legal = follow;
    }
    for (uint64_t k = below(__builtin_popcountll(legal)); k > 0; k--) legal &= legal - 1;
    int card = __builtin_ctzll(legal);
    g->hand[seat] &= ~(1ULL << card);
    g->played[seat] |= 1ULL << card;
    g->trick[seat] = card;
    g->plays[g->tricks * 4 + g->on_table] = card;
    if (card >= 39) g->broken = 1;
    int led = g->trick[g->leader] / 13;
    if (g->on_table && card / 13 != led) g->voids[seat] |= 1 << led;
    if (++g->on_table < 4) {
        g->turn = (seat + 1) & 3;
        return;
    }
    int winner = g->leader, best = g->trick[winner];
    for (int k = 1; k < 4; k++) {
        int other = (g->leader + k) & 3, its = g->trick[other];
        if (its / 13 == best / 13 ? its > best : its >= 39) {
            best = its;
            winner = other;
        }
    }
    g->won[winner]++;
    g->leader = g->turn = winner;
    g->on_table = 0;
    g->tricks++;
}

int main(int count, char **arguments) {
    int deals = count > 1 ? atoi(arguments[1]) : 400000;
    Game g = {0};
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int i = 0; i < deals; i++) {
        deal(&g);
        for (int k = 0; k < 4; k++) {
            g.bid[g.turn] = below(14);
            g.turn = (g.turn + 1) & 3;
        }
        while (g.tricks < 13) play(&g);
        score(&g);
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    double seconds =
        (end.tv_sec - start.tv_sec) + (end.tv_nsec - start.tv_nsec) * 1e-9;
    printf("%.0f\n", deals * 56.0 / seconds);
    return g.score[0] == 12345; /* the scores must be computed */
}
