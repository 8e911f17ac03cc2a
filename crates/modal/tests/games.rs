//! Random parity games: each node has a winner, the strategies of both players win, and what is not a winning strategy is
//! refused.

use fastrand::Rng;
use watchkeeper_modal::{GameSolution, ParityGame, Player, StrategyClaim, StrategyError, solve, verify};

fn draw(rng: &mut Rng, nodes: u32, priorities: u8) -> ParityGame {
    let mut game = ParityGame::new();
    for _ in 0..nodes {
        game.add(if rng.bool() { Player::Exists } else { Player::Forall }, rng.u8(0..priorities));
    }
    let most = rng.usize(1..5);
    for _ in 0..nodes {
        let targets: Vec<u32> =
            (0..rng.usize(usize::from(most > 1)..=most)).map(|_| rng.u32(0..nodes)).collect();
        game.close(&targets);
    }
    game
}

fn verified(game: &ParityGame, solution: &GameSolution, player: Player) -> Result<usize, StrategyError> {
    let wins = |node: u32| solution.winner(node) == player;
    verify(game, &StrategyClaim { player, wins: &wins, choice: &|node| solution.choice(node) })
}

fn both(game: &ParityGame, solution: &GameSolution) -> Result<usize, StrategyError> {
    Ok(verified(game, solution, Player::Exists)? + verified(game, solution, Player::Forall)?)
}

#[test]
fn the_strategies_of_both_players_win_and_their_regions_are_all_there_is() {
    let mut rng = Rng::with_seed(1);
    let mut won = 0;
    for _ in 0..3000 {
        let (nodes, priorities) = (rng.u32(1..120), rng.u8(1..8));
        let game = draw(&mut rng, nodes, priorities);
        let solution = solve(&game, Player::Forall);
        assert_eq!(both(&game, &solution), Ok(nodes as usize), "{game:?}");
        won += u32::from(solution.winner(0) == Player::Exists);
    }
    assert!((1000..2000).contains(&won), "{won}");
}

/// Two winning strategies on both sides of a partition are a proof, so whoever claims more than there is is found out.
#[test]
fn a_node_that_is_given_to_the_loser_is_found_out() {
    let mut rng = Rng::with_seed(2);
    for _ in 0..2000 {
        let nodes = rng.u32(1..30);
        let game = draw(&mut rng, nodes, 5);
        let solution = solve(&game, Player::Forall);
        let node = rng.u32(0..nodes);
        let loser = solution.winner(node).other();
        for choice in game.successors(node).iter().map(|&target| Some(target)).chain([None]) {
            let altered = solution.clone().altered(node, loser, choice);
            assert!(both(&game, &altered).is_err(), "node {node} of {game:?}");
        }
    }
}

#[test]
fn a_move_that_does_not_win_is_found_out() {
    let mut rng = Rng::with_seed(3);
    let mut refused = [0u32; 4];
    for _ in 0..3000 {
        let nodes = rng.u32(2..30);
        let game = draw(&mut rng, nodes, 5);
        let solution = solve(&game, Player::Forall);
        let node = rng.u32(0..nodes);
        let winner = solution.winner(node);
        if game.owner(node) != winner {
            continue;
        }
        let moves = game.successors(node);
        let choice = match rng.u32(0..8) {
            0 => None,
            1 => Some(rng.u32(0..nodes)),
            _ => rng.choice(moves).copied(),
        };
        let altered = solution.clone().altered(node, winner, choice);
        let wins_by_hand = choice.is_some_and(|target| {
            game.successors(node).contains(&target) && wins_in_memory(&game, &altered, winner)
        });
        match verified(&game, &altered, winner) {
            Ok(_) => assert!(wins_by_hand, "node {node}, {choice:?}: {game:?}"),
            Err(error) => {
                assert!(!wins_by_hand, "node {node}, {choice:?}, {error}: {game:?}");
                refused[match error {
                    StrategyError::NoMove(_) => 0,
                    StrategyError::Leaves(..) => 1,
                    StrategyError::Cycle(_) => 2,
                    StrategyError::Open(_) => 3,
                }] += 1;
            }
        }
    }
    assert!(refused[0] > 100 && refused[1] > 100 && refused[2] > 20 && refused[3] == 0, "{refused:?}");
}

/// Whether a strategy wins from its whole region: the game with only its moves is solved, and the player wins everywhere in it.
fn wins_in_memory(game: &ParityGame, solution: &GameSolution, player: Player) -> bool {
    let mut alone = ParityGame::new();
    for node in 0..game.nodes() as u32 {
        alone.add(player.other(), game.priority(node));
    }
    for node in 0..game.nodes() as u32 {
        let own = game.owner(node) == player && solution.winner(node) == player;
        match solution.choice(node) {
            Some(target) if own => alone.close(&[target]),
            // The player has no choice where the move is not told.
            _ if own => alone.close_won(player.other()),
            _ if game.successors(node).is_empty() && game.owner(node) == player => {
                alone.close_won(player.other());
            }
            _ => alone.close(game.successors(node)),
        }
    }
    let alone = solve(&alone, player.other());
    (0..game.nodes() as u32).all(|node| solution.winner(node) != player || alone.winner(node) == player)
}

#[test]
fn what_is_open_is_won_by_the_player_who_is_named_and_claimed_by_nobody() {
    let mut game = ParityGame::new();
    let (start, open) = (game.add(Player::Exists, 0), game.add(Player::Exists, 0));
    game.close(&[open]);
    for player in [Player::Exists, Player::Forall] {
        let solution = solve(&game, player);
        assert_eq!(solution.winner(start), player);
        assert_eq!(verified(&game, &solution, player), Err(StrategyError::Open(open)));
        assert_eq!(verified(&game, &solution, player.other()), Ok(0));
    }
}

/// A game of two million nodes in one long path: neither the solver nor what verifies it goes as deep as the graph.
#[test]
fn a_path_of_a_million_nodes_needs_no_deep_recursion() {
    let nodes = 1_000_000u32;
    let mut game = ParityGame::new();
    for node in 0..nodes {
        game.add(if node % 2 == 0 { Player::Exists } else { Player::Forall }, (node % 3) as u8);
    }
    for node in 0..nodes {
        game.close(&[(node + 1) % nodes]);
    }
    let solution = solve(&game, Player::Forall);
    assert_eq!(solution.winner(0), Player::Exists, "the greatest priority of the only cycle is 2");
    assert_eq!(both(&game, &solution), Ok(nodes as usize));
}
